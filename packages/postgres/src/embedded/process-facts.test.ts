import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parsePsLine, processFacts } from './process-facts.ts';

describe('the facts of a process', () => {
  it('stay the same while it lives', async () => {
    const facts = await processFacts(process.pid);
    expect(facts?.started).toMatch(/^[^\s/]+$/);
    expect(await processFacts(process.pid)).toEqual(facts);
  });

  it('differ from those of its parent', async () => {
    expect((await processFacts(process.pid))?.started).not.toBe((await processFacts(process.ppid))?.started);
  });

  it('are none when it is dead', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    expect(await processFacts(child.pid ?? 0)).toBeUndefined();
  });

  it('are read from a line of ps', () => {
    expect(
      parsePsLine('Ss   Sun Nov  9 14:09:53 2026     /opt/postgres -D /Users/ann/my  data -c port=1\n'),
    ).toEqual({
      started: 'Sun.Nov.9.14:09:53.2026',
      command: '/opt/postgres -D /Users/ann/my  data -c port=1',
    });
  });

  it('are none for a zombie and for no line at all', () => {
    expect(parsePsLine('Z    Sun Nov  9 14:09:53 2026     (postgres)')).toBeUndefined();
    expect(parsePsLine('')).toBeUndefined();
  });
});
