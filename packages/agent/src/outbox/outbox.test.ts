import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Outbox } from './outbox.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'macbatch-outbox-'));
const lease = (task_id: string, deployment = 'here') => ({ deployment, task_id, attempt: 1 });
const outcome = (item_id: string) => ({ item_id, output: '{"ok":true}' });

async function fill(
  outbox: Outbox,
  task_id: string,
  items: readonly string[],
  deployment = 'here',
): Promise<void> {
  await outbox.append({ kind: 'leased', ...lease(task_id, deployment), items: items.length });
  await Promise.all(
    items.map((item) =>
      outbox.append({ kind: 'outcome', ...lease(task_id, deployment), outcome: outcome(item) }),
    ),
  );
}

describe('W6: the outbox', () => {
  it('returns what was not acknowledged after a restart', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const { outbox } = await Outbox.open(path);
    await fill(outbox, '1', ['a', 'b']);
    await fill(outbox, '2', ['c']);
    await outbox.append({ kind: 'settled', ...lease('1') });
    await outbox.close();

    const again = await Outbox.open(path);
    expect(again.dropped).toBe(0);
    expect(again.outbox.unacknowledged('here')).toEqual([
      { task_id: '2', attempt: 1, items: 1, outcomes: [outcome('c')] },
    ]);
    await again.outbox.close();
  });

  it('has written a record to the disk when `append` resolves', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const { outbox } = await Outbox.open(path);
    await fill(outbox, '1', ['a']);
    expect(readFileSync(path, 'utf8')).toContain('"item_id":"a"');
    await outbox.close();
  });

  it('drops a truncated last line and appends after it', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const first = await Outbox.open(path);
    await fill(first.outbox, '1', ['a']);
    await first.outbox.close();
    appendFileSync(path, '{"kind":"outcome","deployment":"here","task_id":"1","att');

    const second = await Outbox.open(path);
    expect(second.dropped).toBe(1);
    await second.outbox.append({ kind: 'outcome', ...lease('1'), outcome: outcome('b') });
    await second.outbox.close();
    const third = await Outbox.open(path);
    expect(third.dropped).toBe(0);
    expect(third.outbox.unacknowledged('here')[0]?.outcomes).toEqual([outcome('a'), outcome('b')]);
    await third.outbox.close();
  });

  it('counts lines that are no records and reads the others', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const first = await Outbox.open(path);
    await fill(first.outbox, '1', ['a']);
    await first.outbox.close();
    writeFileSync(path, `not json\n{"kind":"leased"}\n\u0000\n${readFileSync(path, 'utf8')}`);
    const second = await Outbox.open(path);
    expect(second.dropped).toBe(3);
    expect(second.outbox.unacknowledged('here')).toHaveLength(1);
    await second.outbox.close();
  });

  it('leaves the records of another deployment untouched', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const { outbox } = await Outbox.open(path);
    await fill(outbox, '1', ['a'], 'there');
    await fill(outbox, '1', ['b'], 'here');
    expect(outbox.unacknowledged('here')[0]?.outcomes).toEqual([outcome('b')]);
    expect(outbox.foreign('here')).toBe(1);
    await outbox.append({ kind: 'settled', ...lease('1', 'here') });
    await outbox.close();
    const again = await Outbox.open(path);
    expect(again.outbox.unacknowledged('there')[0]?.outcomes).toEqual([outcome('a')]);
    await again.outbox.close();
  });

  it('is readable only by its owner, and empty when everything is acknowledged', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const { outbox } = await Outbox.open(path);
    await fill(outbox, '1', ['a', 'b']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await outbox.append({ kind: 'settled', ...lease('1') });
    expect(statSync(path).size).toBe(0);
    await outbox.close();
  });

  it('shrinks while records of other leases stay', async () => {
    const path = join(folder(), 'outbox.jsonl');
    const { outbox } = await Outbox.open(path);
    await fill(outbox, '99', ['kept']);
    const big = 'x'.repeat(200_000);
    for (const task of ['1', '2', '3', '4']) {
      await outbox.append({ kind: 'leased', ...lease(task), items: 1 });
      await outbox.append({
        kind: 'outcome',
        ...lease(task),
        outcome: { item_id: 'big', output: JSON.stringify(big) },
      });
      await outbox.append({ kind: 'settled', ...lease(task) });
    }
    expect(statSync(path).size).toBeLessThan(600_000);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await outbox.append({ kind: 'outcome', ...lease('99'), outcome: outcome('after') });
    await outbox.close();
    const again = await Outbox.open(path);
    expect(again.outbox.unacknowledged('here')).toEqual([
      { task_id: '99', attempt: 1, items: 1, outcomes: [outcome('kept'), outcome('after')] },
    ]);
    await again.outbox.close();
  });

  it('rejects when the write to disk fails', async () => {
    // A device that is always full.
    const opening = Outbox.open('/dev/full');
    await expect(
      opening.then(({ outbox }) => outbox.append({ kind: 'settled', ...lease('1') })),
    ).rejects.toThrow();
  });
});
