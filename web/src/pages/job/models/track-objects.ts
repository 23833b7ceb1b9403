import { areNumbers, invalidAnswer, keysOf, listOf } from './checked-answer';

/** The type and the points of an object on a frame. */
export interface Outline {
  readonly type: string;
  readonly points: readonly number[];
}

/** Where an object is on a frame; null: the tracker has lost it. */
export interface TrackStep {
  readonly frame: number;
  readonly outline: Outline | null;
}

interface Tracking {
  /** Calls the tracker. */
  readonly ask: (body: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** The objects on the first frame. */
  readonly outlines: readonly Outline[];
  readonly frame: number;
  /** The frames to follow them on, in this order. */
  readonly frames: readonly number[];
  readonly signal: AbortSignal;
  /** @param done the number of frames */
  readonly onProgress: (done: number) => void;
}

interface Tracked {
  /** For each object, the frames on which it was followed. */
  readonly steps: readonly (readonly TrackStep[])[];
  /** Why it stopped before the last frame; null if it did not, or if the user stopped it. */
  readonly error: unknown;
}

/** The state of an object that is followed. */
interface Followed {
  readonly at: number;
  readonly outline: Outline;
  readonly state: unknown;
}

interface Answer {
  readonly shapes: readonly (Outline | null)[];
  readonly states: readonly unknown[];
}

/**
 * Follows objects frame by frame, until all are lost. If the tracker has lost its states, for example because another agent
 * has taken over, it starts again where the objects were last.
 * @returns what was found until an error, or until the user stopped it
 */
export async function trackObjects({ ask, outlines, frame, frames, signal, onProgress }: Tracking): Promise<Tracked> {
  const steps: TrackStep[][] = outlines.map(() => []);
  const start = async (on: number, objects: readonly Omit<Followed, 'state'>[]): Promise<Followed[]> => {
    const { states } = read(
      await ask({ type: 'init_tracking', frame: on, shapes: objects.map(({ outline }) => outline) }),
    );
    if (states.length !== objects.length) throw invalidAnswer('The function did not return a state for each object.');
    return objects.map(({ at, outline }, i) => ({ at, outline, state: states[i] }));
  };
  try {
    let followed = await start(
      frame,
      outlines.map((outline, at) => ({ at, outline })),
    );
    let last = frame;
    for (const [done, next] of frames.entries()) {
      if (signal.aborted || followed.length === 0) break;
      const found = await step(ask, next, followed).catch(async (error: unknown) => {
        if (signal.aborted || last === frame) throw error;
        return step(ask, next, await start(last, followed));
      });
      for (const { at, outline } of found) steps[at]?.push({ frame: next, outline });
      followed = found.flatMap(({ at, outline, state }) => (outline === null ? [] : [{ at, outline, state }]));
      last = next;
      onProgress(done + 1);
    }
    return { steps, error: null };
  } catch (error) {
    return { steps, error: signal.aborted ? null : error };
  }
}

type Found = Omit<Followed, 'outline'> & { readonly outline: Outline | null };

async function step(ask: Tracking['ask'], frame: number, followed: readonly Followed[]): Promise<Found[]> {
  const { shapes, states } = read(await ask({ type: 'track', frame, states: followed.map(({ state }) => state) }));
  if (shapes.length !== followed.length) throw invalidAnswer('The function did not return a shape for each object.');
  return followed.map(({ at, outline: before, state }, i) => {
    const outline = shapes[i] ?? null;
    const isOther = outline !== null && outline.type !== before.type && before.type !== 'rectangle';
    if (isOther)
      throw invalidAnswer(`The function returned the type ${outline.type} for an object of the type ${before.type}.`);
    return { at, outline, state: states[i] ?? state };
  });
}

/** @throws FunctionFailed if the answer of a tracker is not valid */
function read(answer: unknown): Answer {
  const { shapes, states } = keysOf(answer);
  return {
    shapes: listOf(shapes, 'The function did not return a list of shapes.').map(outlineIn),
    states: listOf(states, 'The function did not return a list of states.'),
  };
}

function outlineIn(shape: unknown): Outline | null {
  if (shape === null) return null;
  const { type, points } = keysOf(shape);
  if (typeof type !== 'string' || !areNumbers(points) || points.length === 0)
    throw invalidAnswer('The function returned a shape without a type or points.');
  return { type, points };
}
