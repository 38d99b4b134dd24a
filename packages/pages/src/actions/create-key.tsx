import type { RouteInput } from '@macbatch/contract';
import { KEY_ROLES, type KeyRole } from '@macbatch/core';
import type { Action } from './action.ts';
import { shownOncePage } from './shown-once-page.tsx';

/** Worker keys are created by invitations. */
const ROLES = KEY_ROLES.filter((role) => role !== 'worker');

const MEANING: Readonly<Record<Exclude<KeyRole, 'worker'>, string>> = {
  submit: 'submit: jobs of its group',
  read: 'read: see the jobs of its group',
  metrics: 'metrics: read /metrics',
  admin: 'admin: everything',
};

export const createKey: Action = {
  confirm: async () => ({
    title: 'Create a key',
    body: (
      <p>A key lets a person or a program use this control plane. Keys of one group see the same jobs.</p>
    ),
    fields: (
      <>
        <label>
          Name
          <input name="name" required maxlength={200} />
        </label>
        <label>
          Role
          <select name="role">
            {ROLES.map((role) => (
              <option value={role}>{MEANING[role]}</option>
            ))}
          </select>
        </label>
        <label>
          Group (the name by default)
          <input name="group" maxlength={200} />
        </label>
        <label>
          Ends after this many days (never by default)
          <input name="days" inputmode="numeric" pattern="[0-9]*" />
        </label>
      </>
    ),
    button: 'Create the key',
    isDestructive: false,
    command: 'macbatch keys create --role submit --name NAME --group GROUP',
    back: '/admin',
  }),
  run: async ({ client }, _, form) => {
    const group = form.get('group') ?? '';
    const days = form.get('days') ?? '';
    const role = ROLES.find((known) => known === form.get('role')) ?? 'submit';
    const body: RouteInput<'createKey'>['body'] = {
      name: form.get('name') ?? '',
      role,
      ...(group === '' ? {} : { group }),
      ...(days === '' ? {} : { expires_in_days: Number(days) }),
    };
    const { key, view } = await client.call('createKey', { body });
    return shownOncePage(`The key ${view.name}`, key, <p>Give it to its owner over a safe channel.</p>);
  },
};
