import { describe, expect, it } from '@jest/globals';
import { SendingLanes } from './sending-lanes.js';

/** Lanes whose items are done when the test says so. */
function lanesOf(width: number) {
  const under = new Map<string, () => void>();
  const begun: string[] = [];
  const lanes = new SendingLanes<{ webhook_id: number; name: string }>(width, ({ name }) => {
    begun.push(name);
    return new Promise((resolve) => under.set(name, resolve));
  });
  const add = (webhook: number, ...names: string[]) => {
    for (const name of names) lanes.add({ webhook_id: webhook, name });
  };
  const finish = async (name: string) => {
    under.get(name)?.();
    await new Promise(setImmediate);
  };
  return { lanes, begun, add, finish };
}

describe('SendingLanes', () => {
  it('sends so many of a webhook at a time, the others in their order', async () => {
    const { begun, add, finish } = lanesOf(2);
    add(1, 'a', 'b', 'c', 'd');
    expect(begun).toEqual(['a', 'b']);
    await finish('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await finish('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets no webhook wait for another', () => {
    const { begun, add } = lanesOf(1);
    add(1, 'a', 'b');
    add(2, 'c');
    expect(begun).toEqual(['a', 'c']);
  });

  it('gives back the last ones that wait, and none that is being sent', async () => {
    const { lanes, begun, add, finish } = lanesOf(1);
    add(1, 'a', 'b', 'c', 'd');
    expect(lanes.takeBack(1, 2).map(({ name }) => name)).toEqual(['c', 'd']);
    expect(lanes.takeBack(2, 2)).toEqual([]);
    add(2, 'e', 'f');
    expect(lanes.takeAllBack().map(({ name }) => name)).toEqual(['b', 'f']);
    await finish('a');
    expect(begun).toEqual(['a', 'e']);
  });
});
