import { type Outline, trackObjects } from './track-objects';

const box = (x: number): Outline => ({ type: 'rectangle', points: [x, 0, x + 10, 10] });
type Body = { type: string; frame: number; shapes: Outline[]; states: string[] };

/** A tracker that moves boxes by one pixel per frame. */
function tracker(more: (body: Body) => unknown = () => undefined) {
  const calls: string[] = [];
  const ask = async (sent: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const body = sent as unknown as Body;
    calls.push(`${body.type} ${body.frame} ${(body.shapes ?? body.states).length}`);
    const other = more(body);
    if (other instanceof Error) throw other;
    if (other !== undefined) return other;
    return body.type === 'init_tracking'
      ? { states: body.shapes.map((_, at) => `state ${at}`) }
      : { states: body.states, shapes: body.states.map(() => box(body.frame)) };
  };
  return { ask, calls };
}

const run = (ask: ReturnType<typeof tracker>['ask'], frames: readonly number[], more = {}) =>
  trackObjects({
    ask,
    outlines: [box(0), box(5)],
    frame: 0,
    frames,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...more,
  });

describe('trackObjects', () => {
  it('starts once, then follows all objects frame by frame', async () => {
    const { ask, calls } = tracker();
    const progress: number[] = [];
    const { steps, error } = await run(ask, [1, 3], { onProgress: (done: number) => progress.push(done) });
    expect(calls).toEqual(['init_tracking 0 2', 'track 1 2', 'track 3 2']);
    expect(steps).toEqual([1, 2].map(() => [1, 3].map((frame) => ({ frame, outline: box(frame) }))));
    expect([progress, error]).toEqual([[1, 2], null]);
  });

  it('notes where an object is lost, and follows only the others', async () => {
    const { ask, calls } = tracker(({ type, frame, states }) =>
      type === 'track' && frame === 2 ? { states, shapes: [null, box(2)] } : undefined,
    );
    const { steps } = await run(ask, [1, 2, 3]);
    expect(calls.at(-1)).toBe('track 3 1');
    expect(steps[0]?.at(-1)).toEqual({ frame: 2, outline: null });
    expect(steps[1]?.map(({ frame }) => frame)).toEqual([1, 2, 3]);
  });

  it('starts again where the objects were last if the tracker has lost its states', async () => {
    let failures = 0;
    const { ask, calls } = tracker(({ type, frame }) =>
      type === 'track' && frame === 2 && (failures += 1) === 1 ? new Error('Tracking state not found.') : undefined,
    );
    const { steps, error } = await run(ask, [1, 2]);
    expect(calls).toEqual(['init_tracking 0 2', 'track 1 2', 'track 2 2', 'init_tracking 1 2', 'track 2 2']);
    expect([steps[0]?.length, error]).toEqual([2, null]);
  });

  it('keeps what was found before an error', async () => {
    const { ask } = tracker(({ frame }) => (frame === 2 ? new Error('No agent is running.') : undefined));
    const { steps, error } = await run(ask, [1, 2]);
    expect([steps[0]?.length, error]).toEqual([1, new Error('No agent is running.')]);
  });

  it('stops when the user wants, and when all objects are lost', async () => {
    const stopping = new AbortController();
    const { ask } = tracker();
    const stopped = await run(ask, [1, 2, 3], { signal: stopping.signal, onProgress: () => stopping.abort() });
    expect([stopped.steps[0]?.length, stopped.error]).toEqual([1, null]);
    const lost = tracker(({ type, states }) => (type === 'track' ? { states, shapes: [null, null] } : undefined));
    await run(lost.ask, [1, 2, 3]);
    expect(lost.calls).toEqual(['init_tracking 0 2', 'track 1 2']);
  });

  it('reports answers that do not fit', async () => {
    const { error } = await run(tracker(() => ({ states: ['only one'] })).ask, [1]);
    expect((error as Error).message).toBe('The function did not return a state for each object.');
  });

  it.each([
    [{ shapes: 'nope', states: ['a', 'b'] }, 'did not return a list of shapes'],
    [{ shapes: [box(1), box(2)], states: 'nope' }, 'did not return a list of states'],
    [{ shapes: [box(1), { type: 'rectangle', points: 'nope' }], states: ['a', 'b'] }, 'without a type or points'],
    [{ shapes: [box(1), 'nope'], states: ['a', 'b'] }, 'without a type or points'],
    [{ states: ['a', 'b'] }, 'a shape for each object'],
  ])('says what is wrong with %j', async (answer, text) => {
    const { ask } = tracker(({ type }) => (type === 'track' ? answer : undefined));
    const { error } = await run(ask, [1]);
    expect((error as Error).message).toContain(text);
  });
});
