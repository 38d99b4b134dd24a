import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parsePsLine, processFacts } from './process-facts.ts';

describe('processFacts', () => {
  it('returns the same facts while a process runs', async () => {
    const facts = await processFacts(process.pid);
    expect(facts?.started).toMatch(/^[^\s/]+$/);
    expect(await processFacts(process.pid)).toEqual(facts);
  });

  it('returns other facts for the parent process', async () => {
    expect((await processFacts(process.pid))?.started).not.toBe((await processFacts(process.ppid))?.started);
  });

  it('returns undefined for a dead process', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    expect(await processFacts(child.pid ?? 0)).toBeUndefined();
  });

  it('reads the facts from a line of ps', () => {
    expect(
      parsePsLine('Ss   Sun Nov  9 14:09:53 2026     /opt/postgres -D /Users/ann/my  data -c port=1\n'),
    ).toEqual({
      started: 'Sun.Nov.9.14:09:53.2026',
      command: '/opt/postgres -D /Users/ann/my  data -c port=1',
    });
  });

  it('returns undefined for a zombie and for an empty line', () => {
    expect(parsePsLine('Z    Sun Nov  9 14:09:53 2026     (postgres)')).toBeUndefined();
    expect(parsePsLine('')).toBeUndefined();
  });
});
