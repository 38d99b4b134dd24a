import { describe, expect, it } from 'vitest';
import { pickServerUser } from './server-user.ts';

describe('pickServerUser', () => {
  it('picks postgres if that user exists', () => {
    const passwd =
      'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:\npostgres:x:101:104::/var/lib/postgresql:\n';
    expect(pickServerUser(passwd)).toEqual({ uid: 101, gid: 104 });
  });

  it('picks the user `nobody` otherwise', () => {
    expect(pickServerUser('root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:')).toEqual({
      uid: 65534,
      gid: 65534,
    });
  });

  it('does not pick the nobody user of macOS, whose id is negative', () => {
    const passwd =
      '##\n# comment\n##\nnobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\nroot:*:0:0::/:\n';
    expect(pickServerUser(passwd)).toBeUndefined();
    expect(pickServerUser(`${passwd}_postgres:*:216:216::/var/empty:/usr/bin/false\n`)).toEqual({
      uid: 216,
      gid: 216,
    });
  });
});
