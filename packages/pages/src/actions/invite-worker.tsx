import { invitationLine } from '@macbatch/wording';
import type { Action } from './action.ts';
import { shownOncePage } from './shown-once-page.tsx';

const MINUTES = [60, 24 * 60, 7 * 24 * 60] as const;

export const inviteWorker: Action = {
  confirm: async () => ({
    title: 'Invite a Mac',
    body: <p>An invitation lets one Mac join the pool. It is a command to paste on that Mac.</p>,
    fields: (
      <>
        <label>
          Name of the Mac (any by default)
          <input name="worker_id" maxlength={200} />
        </label>
        <label>
          Ends after
          <select name="minutes">
            {MINUTES.map((minutes) => (
              <option value={String(minutes)}>
                {minutes < 24 * 60
                  ? `${minutes / 60} hour`
                  : `${minutes / 60 / 24} days`.replace(/^1 days/, '1 day')}
              </option>
            ))}
          </select>
        </label>
      </>
    ),
    button: 'Create the invitation',
    isDestructive: false,
    command: 'macbatch keys invite',
    back: '/macs',
  }),
  run: async ({ client, url }, _, form) => {
    const worker = form.get('worker_id') ?? '';
    const minutes = MINUTES.find((known) => String(known) === form.get('minutes')) ?? MINUTES[0];
    const { token } = await client.call('createJoinToken', {
      body: { expires_in_minutes: minutes, ...(worker === '' ? {} : { worker_id: worker }) },
    });
    return shownOncePage(
      'Paste this into a terminal of the Mac',
      invitationLine({ url: url.origin, token, ...(worker === '' ? {} : { workerId: worker }) }),
      <p>
        It installs macbatch if npm finds none, joins this pool, and starts the worker at each login. It works
        once.
      </p>,
    );
  },
};
