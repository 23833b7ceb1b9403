import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SendingLanes } from './sending-lanes.js';

/**
 * Lanes whose items end when the test calls `finish`.
 * @param width items in flight per webhook
 * @param total items in flight overall
 */
function lanesOf(width: number, total = 100) {
  const sending: number[] = [];
  const isFree = (webhook: number) =>
    sending.length < total && sending.filter((other) => other === webhook).length < width;
  const under = new Map<string, () => void>();
  const begun: string[] = [];
  const lanes = new SendingLanes<{ webhook_id: number; name: string }>(
    isFree,
    async ({ webhook_id: webhook, name }) => {
      begun.push(name);
      sending.push(webhook);
      await new Promise<void>((resolve) => under.set(name, resolve));
      sending.splice(sending.indexOf(webhook), 1);
    },
  );
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
  it('sends up to the limit of a webhook at a time, in order', async () => {
    const { begun, add, finish } = lanesOf(2);
    add(1, 'a', 'b', 'c', 'd');
    expect(begun).toEqual(['a', 'b']);
    await finish('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await finish('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not let one webhook delay another', () => {
    const { begun, add } = lanesOf(1);
    add(1, 'a', 'b');
    add(2, 'c');
    expect(begun).toEqual(['a', 'c']);
  });

  it('takes back the last waiting items, and none in flight', async () => {
    const { lanes, begun, add, finish } = lanesOf(1);
    add(1, 'a', 'b', 'c', 'd');
    expect(lanes.remove(1, 2).map(({ name }) => name)).toEqual(['c', 'd']);
    expect(lanes.remove(2, 2)).toEqual([]);
    add(2, 'e', 'f');
    expect(lanes.removeAll().map(({ name }) => name)).toEqual(['b', 'f']);
    await finish('a');
    expect(begun).toEqual(['a', 'e']);
  });

  it('resumes blocked webhooks when another has finished, the longest waiting first', async () => {
    const { begun, add, finish } = lanesOf(2, 2);
    add(1, 'a', 'b', 'c');
    add(2, 'd', 'e');
    add(3, 'f');
    expect(begun).toEqual(['a', 'b']);
    await finish('a');
    expect(begun).toEqual(['a', 'b', 'd']);
    await finish('b');
    expect(begun).toEqual(['a', 'b', 'd', 'f']);
    for (const name of ['d', 'f', 'c', 'e']) await finish(name);
    expect(begun.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('sends everything once, whatever the limits, and in the order of each webhook', async () => {
    const items = fc.array(fc.record({ webhook: fc.nat(5), after: fc.nat(3) }), { maxLength: 60 });
    const limits = fc.record({ width: fc.integer({ min: 1, max: 4 }), total: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(limits, items, async ({ width, total }, wanted) => {
        const { begun, add, finish } = lanesOf(width, total);
        let done = 0;
        const finishSome = async (count: number) => {
          for (const name of begun.slice(done, done + count)) {
            done += 1;
            await finish(name);
          }
        };
        for (const [place, { webhook, after }] of wanted.entries()) {
          add(webhook, `${webhook}.${place}`);
          await finishSome(after);
        }
        for (const _ of wanted) await finishSome(1);
        const inOrder = (names: readonly string[]) =>
          names.toSorted((a, b) => Number(a.split('.')[0]) - Number(b.split('.')[0]));
        expect(inOrder(begun)).toEqual(inOrder(wanted.map(({ webhook }, place) => `${webhook}.${place}`)));
      }),
      { numRuns: 50 },
    );
  });
});
