import { ClickSession, type Prompt, type PromptLimits } from './click-session';

const POINTS: PromptLimits = { minPositive: 1, takesNegative: true, box: 'none' };
const at = (x: number) => ({ x, y: x });

/** A session, the prompts that it has sent, and functions that answer the oldest one. */
function begin(limits: Partial<PromptLimits> = {}) {
  const sent: Prompt[] = [];
  const open: { resolve: (mask: readonly number[] | undefined) => void; reject: (error: unknown) => void }[] = [];
  const session = new ClickSession({ ...POINTS, ...limits }, (prompt) => {
    sent.push(prompt);
    return new Promise((resolve, reject) => open.push({ resolve, reject }));
  });
  const settle = async (act: (request: (typeof open)[number]) => void): Promise<void> => {
    const request = open.shift();
    if (request !== undefined) act(request);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return {
    session,
    sent,
    answer: (mask: readonly number[] | undefined) => settle(({ resolve }) => resolve(mask)),
    fail: () => settle(({ reject }) => reject(new Error('No agent is running.'))),
  };
}

describe('ClickSession', () => {
  it('asks once for each click, and shows the answer', async () => {
    const { session, sent, answer } = begin();
    expect(session.hasPrompt).toBe(false);
    session.addPoint(at(1), true);
    expect(session.snapshot()).toMatchObject({ isWaiting: true, mask: undefined });
    await answer([0, 1, 1, 1, 1, 1]);
    expect(session.snapshot()).toMatchObject({ isWaiting: false, mask: [0, 1, 1, 1, 1, 1], error: null });
    session.addPoint(at(2), false);
    await answer(undefined);
    expect(session.snapshot()).toMatchObject({ isEmpty: true, mask: undefined });
    expect(sent.map(({ positive, negative }) => [positive.length, negative.length])).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  it('sends one request at a time, then only the newest clicks', async () => {
    const { session, sent, answer } = begin();
    for (const x of [1, 2, 3]) session.addPoint(at(x), true);
    expect(sent).toHaveLength(1);
    await answer([0, 1, 1, 1, 1, 1]);
    expect(session.snapshot()).toMatchObject({ mask: undefined, isWaiting: true });
    expect(sent.map(({ positive }) => positive.length)).toEqual([1, 3]);
    await answer([0, 1, 3, 3, 3, 3]);
    expect(session.snapshot()).toMatchObject({ mask: [0, 1, 3, 3, 3, 3], isWaiting: false });
  });

  it('keeps clicks and the last mask when a request fails, and repeats it only on demand', async () => {
    const { session, sent, answer, fail } = begin();
    session.addPoint(at(1), true);
    await answer([0, 1, 1, 1, 1, 1]);
    session.addPoint(at(2), true);
    await fail();
    expect(session.snapshot()).toMatchObject({ mask: [0, 1, 1, 1, 1, 1], error: new Error('No agent is running.') });
    expect(sent).toHaveLength(2);
    session.retry();
    expect(session.snapshot()).toMatchObject({ isWaiting: true, error: null });
    await answer([0, 1, 2, 2, 2, 2]);
    expect(await session.finished()).toEqual([0, 1, 2, 2, 2, 2]);
  });

  it('takes clicks back and repeats them without asking again', async () => {
    const { session, sent, answer } = begin();
    session.addPoint(at(1), true);
    await answer([0, 1, 1, 1, 1, 1]);
    session.addPoint(at(2), true);
    await answer([0, 1, 2, 2, 2, 2]);
    expect(session.undo()).toBe(true);
    expect(session.snapshot().mask).toEqual([0, 1, 1, 1, 1, 1]);
    expect(session.undo()).toBe(true);
    expect([session.snapshot().mask, session.hasPrompt, session.undo()]).toEqual([undefined, false, false]);
    expect([session.redo(), session.redo(), session.redo()]).toEqual([true, true, false]);
    expect(session.snapshot().mask).toEqual([0, 1, 2, 2, 2, 2]);
    expect(sent).toHaveLength(2);
  });

  it('waits for the prompts that the function needs', async () => {
    const { session, sent } = begin({ minPositive: 2, takesNegative: false, box: 'required' });
    expect(session.advice).toBe('Drag a box around the object.');
    session.setBox(at(9), at(4));
    session.addPoint(at(1), false);
    expect(session.advice).toBe('Click on the object.');
    session.addPoint(at(5), true);
    expect(session.advice).toBe('Click on the object: 1 more.');
    expect(sent).toEqual([]);
    session.addPoint(at(6), true);
    expect(sent).toEqual([{ positive: [at(5), at(6)], negative: [], box: [at(4), at(9)] }]);
  });

  it('sends an optional box without clicks', () => {
    const { session, sent } = begin({ box: 'optional' });
    session.setBox(at(1), at(2));
    expect(sent).toHaveLength(1);
  });

  it('shows nothing after its end', async () => {
    const { session, answer } = begin();
    session.addPoint(at(1), true);
    session.end();
    await answer([0, 1, 1, 1, 1, 1]);
    expect(session.snapshot()).toMatchObject({ mask: undefined });
  });
});
