import { type FileList, FileListQuery, type FileObject, openAiRoutes } from '@macbatch/contract';
import type { StoredFile } from '@macbatch/store';
import type { Context } from 'hono';
import { type Caller, listed, sees } from '../auth/caller.ts';
import { honoPath, type Surface } from '../requests/mount.ts';
import { bodyChunks } from '../requests/request-body.ts';
import { fileContentReply } from './file-content-reply.ts';
import { type FileLimits, storeUpload } from './file-upload.ts';
import { listPage } from './list-page.ts';
import { OpenAiRefusal } from './openai-refusal.ts';
import { parseInput } from './read-input.ts';
import { unixSeconds } from './unix-seconds.ts';

const FILE_ID = /^file-[0-9a-f]{32}$/;

interface FileBounds {
  readonly limits: FileLimits;
  readonly hasRoom: () => Promise<boolean>;
}

/** Mounts `/v1/files`. */
export function mountFiles(surface: Surface, { limits, hasRoom }: FileBounds): void {
  const { app, store, authenticator } = surface;
  const admit = (c: Context) => authenticator.admitOpenAi(c);

  const find = async (id: string, caller: Caller): Promise<StoredFile> => {
    const file = FILE_ID.test(id) ? await store.files.find(id) : null;
    if (file === null || !sees(caller, file.owner))
      throw new OpenAiRefusal(404, 'not_found', `No such File object: ${id}`, 'file_id');
    return file;
  };

  app.post(openAiRoutes.createFile.path, async (c) => {
    const caller = await admit(c);
    const endStream = authenticator.stream(caller);
    try {
      const file = await storeUpload(store.files, {
        contentType: c.req.header('content-type'),
        body: bodyChunks(c, surface.limits),
        owner: caller.owner,
        // While no key is needed there are no groups, and no quotas either.
        limits: caller.keyId === null ? { ...limits, fileQuotaBytes: null } : limits,
        hasRoom,
      });
      return c.json(fileObject(file));
    } finally {
      endStream();
    }
  });

  app.get(openAiRoutes.listFiles.path, async (c) => {
    const caller = await admit(c);
    const query = parseInput(FileListQuery, c.req.query());
    const found = await store.files.list({
      owner: listed(caller),
      purpose: query.purpose ?? null,
      after: query.after ?? null,
      limit: query.limit + 1,
      order: query.order,
    });
    const list: FileList = listPage(found.map(fileObject), query.limit);
    return c.json(list);
  });

  app.get(honoPath(openAiRoutes.readFile.path), async (c) => {
    const caller = await admit(c);
    return c.json(fileObject(await find(c.req.param('file_id') ?? '', caller)));
  });

  app.get(honoPath(openAiRoutes.readFileContent.path), async (c) => {
    const caller = await admit(c);
    const file = await find(c.req.param('file_id') ?? '', caller);
    // Hono answers HEAD with the headers of GET. Nobody reads that body, so it must not count as an open download.
    const ended = c.req.method === 'HEAD' ? () => undefined : authenticator.stream(caller);
    return fileContentReply(store.files, file, c.req.header('range'), ended);
  });

  app.delete(honoPath(openAiRoutes.deleteFile.path), async (c) => {
    const caller = await admit(c);
    const file = await find(c.req.param('file_id') ?? '', caller);
    if ((await store.files.delete(file)) === 'being_read') {
      throw new OpenAiRefusal(
        409,
        'file_in_use',
        `A batch is validating the file ${file.id}. Delete it when the batch is in progress, or cancel the batch.`,
        'file_id',
      );
    }
    return c.json({ id: file.id, object: 'file', deleted: true });
  });
}

function fileObject(file: StoredFile): FileObject {
  return {
    id: file.id,
    object: 'file',
    bytes: file.bytes,
    created_at: unixSeconds(file.createdAt),
    expires_at: file.expiresAt === null ? null : unixSeconds(file.expiresAt),
    filename: file.filename,
    purpose: file.purpose,
    status: 'processed',
    status_details: null,
  };
}
