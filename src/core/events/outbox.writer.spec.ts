import { describe, expect, it } from '@jest/globals';
import type { EventRecord } from './event-map.js';
import { slices } from './outbox.writer.js';

const event = (objectId: number, text = ''): EventRecord => ({
  name: 'delete:job',
  objectId,
  sender: null,
  organizationId: null,
  projectId: 3,
  after: { object: { id: objectId, text } },
});
type Rows = ReturnType<typeof slices> extends Generator<infer Slice> ? Slice : never;
const ids = (rows: Rows): unknown[] => rows.map(({ event: { objectId } }) => objectId);
const lengthOf = (rows: Rows): number =>
  rows.reduce((sum, { sender, before, after }) => sum + sender.length + before.length + after.length, 0);

describe('the events of a transaction', () => {
  it('are one list if there are few, and none if there are none', () => {
    expect([...slices([])]).toEqual([]);
    expect([...slices([event(1), event(2)])].map(ids)).toEqual([[1, 2]]);
  });

  it('are split into lists of bounded length, in order', () => {
    const many = Array.from({ length: 1000 }, (_, index) => event(index));
    const lists = [...slices(many, 2_000)];
    expect(lists.length).toBeGreaterThan(10);
    expect(Math.max(...lists.map(lengthOf))).toBeLessThanOrEqual(2_000);
    expect(lists.flatMap(ids)).toEqual(many.map(({ objectId }) => objectId));
  });

  it('are separate if they are long', () => {
    expect([...slices([event(1), event(2, 'x'.repeat(50)), event(3)], 40)].map(ids)).toEqual([[1], [2], [3]]);
  });
});
