import type { DatabaseView, KeyView } from '@macbatch/contract';
import { grouped } from '@macbatch/wording';
import { NothingYet } from '../empty-state.tsx';
import { ExactText } from '../exact-text.tsx';
import type { PageContent } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { ScrollTable } from '../scroll-table.tsx';
import { Ago, type Clock, Exactly } from '../times.tsx';

/** Keys, invitations, and the room that old jobs take. */
export async function adminPage({ client, clock }: PageContext): Promise<PageContent> {
  const [{ keys }, database] = await Promise.all([
    client.call('listKeys', {}),
    client.call('readDatabase', {}),
  ]);
  return {
    title: 'Admin',
    summary: null,
    topics: [],
    body: (
      <>
        <div class="heading">
          <h1>Admin</h1>
          <p class="buttons">
            <a class="button" href="/admin/keys/create">
              Create a key…
            </a>
            <a class="button" href="/admin/invite">
              Invite a Mac…
            </a>
            <a class="button quiet" href="/admin/prune">
              Delete old jobs…
            </a>
          </p>
        </div>
        <section>
          <h2>Keys</h2>
          {keys.length === 0 ? (
            <NothingYet title="No key yet" command="macbatch keys create --role admin --name me">
              <p>
                Until the first key exists, everybody on this machine may do everything, and other machines
                cannot connect.
              </p>
            </NothingYet>
          ) : (
            <Keys keys={keys} clock={clock} />
          )}
        </section>
        <section>
          <h2>Database</h2>
          <Database database={database} />
        </section>
      </>
    ),
  };
}

function Keys({ keys, clock }: { readonly keys: readonly KeyView[]; readonly clock: Clock }) {
  return (
    <ScrollTable
      label="Table of keys"
      columns={[
        { text: 'Name' },
        { text: 'Role' },
        { text: 'Group or Mac' },
        { text: 'Id' },
        { text: 'Created' },
        { text: 'Ends' },
        { text: 'Actions', kind: 'actions' },
      ]}
    >
      {keys.map((key) => (
        <tr class={key.revoked_at === null ? undefined : 'weak'}>
          <th scope="row">
            <ExactText text={key.name} />
          </th>
          <td>{key.role}</td>
          <td>
            <ExactText text={key.worker_id ?? key.group} />
          </td>
          <td>
            <code>{key.id}</code>
          </td>
          <td>
            <Ago at={key.created_at} clock={clock} />
          </td>
          <td>
            {key.revoked_at === null ? (
              key.expires_at === null ? (
                'never'
              ) : (
                <Exactly at={key.expires_at} clock={clock} />
              )
            ) : (
              <>
                revoked <Ago at={key.revoked_at} clock={clock} />
              </>
            )}
          </td>
          <td>
            {key.revoked_at === null && (
              <a class="button danger" href={`/admin/keys/${key.id}/revoke`}>
                Revoke…
              </a>
            )}
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}

function Database({ database }: { readonly database: DatabaseView }) {
  const { oldest_transaction: oldest } = database;
  return (
    <dl class="details">
      <dt>Server</dt>
      <dd>Postgres {database.server_version}</dd>
      <dt>Size</dt>
      <dd>{grouped(Math.ceil(database.bytes / 1024 ** 2))} MB</dd>
      <dt>Connections</dt>
      <dd>
        {database.used_connections} of {database.max_connections}
      </dd>
      <dt>Oldest open transaction</dt>
      <dd>
        {oldest === null ? (
          'none'
        ) : (
          <>
            {Math.round(oldest.seconds)} s, of <ExactText text={oldest.application} /> (process {oldest.pid})
          </>
        )}
      </dd>
    </dl>
  );
}
