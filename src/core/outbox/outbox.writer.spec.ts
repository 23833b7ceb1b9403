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
const ids = (text: string): string[] => (JSON.parse(text) as { object_id: string }[]).map((row) => row.object_id);

describe('the events of a transaction', () => {
  it('are one list as long as they are few, and none when there are none', () => {
    expect([...slices([])]).toEqual([]);
    expect([...slices([event(1), event(2)])].map(ids)).toEqual([['1', '2']]);
  });

  it('are cut into lists of bounded length, in their order', () => {
    const many = Array.from({ length: 1000 }, (_, index) => event(index));
    const texts = [...slices(many, 10_000)];
    expect(texts.length).toBeGreaterThan(10);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(11_000);
    expect(texts.flatMap(ids)).toEqual(many.map(({ objectId }) => String(objectId)));
  });

  it('stand alone when they are long', () => {
    expect([...slices([event(1), event(2, 'x'.repeat(50)), event(3)], 40)].map(ids)).toEqual([['1'], ['2'], ['3']]);
  });
});
