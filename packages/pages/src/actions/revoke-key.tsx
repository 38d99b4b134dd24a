import { ExactText } from '../exact-text.tsx';
import { pathParam } from '../path-param.ts';
import type { Action } from './action.ts';

export const revokeKey: Action = {
  confirm: async ({ client }, params) => {
    const id = pathParam(params, 'id');
    const { keys } = await client.call('listKeys', {});
    const key = keys.find((each) => each.id === id);
    return {
      title: 'Revoke a key?',
      body: (
        <p>
          The key <ExactText text={key?.name ?? id} /> with the role {key?.role ?? 'unknown'} and every
          session of it are refused from the next request on. It cannot be undone.
        </p>
      ),
      button: `Revoke the key ${id}`,
      isDestructive: true,
      command: `macbatch keys revoke ${id}`,
      back: '/admin',
    };
  },
  run: async ({ client }, params) => {
    await client.call('revokeKey', { params: { id: pathParam(params, 'id') } });
    return '/admin';
  },
};
