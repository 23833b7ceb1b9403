import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import type { RandomSource } from '../../engines/media/random.js';
import { type Honeypot, honeypotDrawer } from '../../engines/media/validation-frames.js';

/** How to select new frames for honeypots. */
export interface HoneypotChange {
  readonly frame_selection_method?: 'random_uniform' | 'manual';
  readonly honeypot_real_frames?: readonly number[];
}

/** The frames of the validation pool, and those that are disabled. */
export interface Pool {
  readonly frames: readonly number[];
  readonly disabledFrames: readonly number[];
}

/**
 * Checks which fields are given together.
 * @throws Invalid
 */
export function requireHoneypotChange({
  frame_selection_method: method,
  honeypot_real_frames: real,
}: HoneypotChange): void {
  if (method === 'manual' && real === undefined) throw crossField('The "honeypot_real_frames" field is required');
  if (method !== 'manual' && real !== undefined) {
    throw crossField('"honeypot_real_frames" can only be used when "frame_selection_method" is "manual"');
  }
}

/**
 * Gives honeypots the frames that the client listed.
 * @param honeypots in the order of `real`
 * @throws InvalidList for a wrong number, or frames that cannot be used
 */
export function namedHoneypots(honeypots: readonly Honeypot[], real: readonly number[], pool: Pool): Honeypot[] {
  if (real.length !== honeypots.length) {
    throw new InvalidList(`Invalid size of 'honeypot_real_frames' array, expected ${honeypots.length}`);
  }
  const known = new Set(pool.frames);
  const foreign = distinct(real.filter((frame) => !known.has(frame)));
  if (foreign.length > 0) {
    throw new InvalidList(
      `Could not update honeypot frames: frames ${foreign.join(', ')} are not from the validation pool`,
    );
  }
  const leftOut = new Set(pool.disabledFrames);
  const disabled = distinct(real.filter((frame) => leftOut.has(frame)));
  if (disabled.length > 0) {
    throw new InvalidList(
      `Could not update honeypot frames: frames ${disabled.join(', ')} are disabled. Restore them in the validation pool first`,
    );
  }
  return honeypots.map(({ frame }, index) => ({ frame, real: real[index] ?? 0 }));
}

/**
 * Draws new frames of the pool for honeypots: different ones within a job, and all about equally often.
 * @param jobs the honeypots of each job to change
 * @param others honeypots that stay as they are
 * @throws InvalidList if a job has more honeypots than the pool has enabled frames
 */
export function drawnHoneypots(
  jobs: readonly (readonly Honeypot[])[],
  others: readonly Honeypot[],
  { frames, disabledFrames }: Pool,
  random: RandomSource,
): Honeypot[] {
  const leftOut = new Set(disabledFrames);
  const enabled = frames.filter((frame) => !leftOut.has(frame));
  const use = new Map(enabled.map((frame) => [frame, 0]));
  for (const { real } of others) {
    const times = use.get(real);
    if (times !== undefined) use.set(real, times + 1);
  }
  const draw = honeypotDrawer(use, random);
  return jobs.flatMap((honeypots) => {
    if (honeypots.length > enabled.length) {
      throw new InvalidList(
        `Can't select validation frames: the job has ${honeypots.length} honeypots, but only ${enabled.length} frames of the validation pool are enabled`,
      );
    }
    const drawn = draw(honeypots.length);
    return honeypots.map(({ frame }, index) => ({ frame, real: drawn[index] ?? 0 }));
  });
}

const distinct = (frames: readonly number[]): number[] => [...new Set(frames)].toSorted((a, b) => a - b);
const crossField = (text: string): Invalid => new Invalid({ non_field_errors: [text] });
