// Comparisons with a ground truth, without a server: the processor time and memory of a process that does nothing else.

import { dirname, join } from 'node:path';
import { startProgram } from '../child.mjs';
import { EVERY_TYPE } from '../crowded-frames.mjs';
import { interleave, line } from '../measure.mjs';

const SIZE = { width: 1920, height: 1080 };
/** For 1,000 frames; also for fewer, since a short run spends most of its time on compiling. */
const MAX_SECONDS = 10;
const MAX_GROWTH_MB = 300;
const MAX_CROWD_SECONDS = 2;
const MAX_STALL_MS = 50;

/** Frames that take long: the largest that are solved as a matrix, and many shapes on one frame. */
const STALLS = {
  '100 frames with 100 shapes': { frames: 100, shapes: 100, types: EVERY_TYPE, size: SIZE, labels: 10 },
  'a frame with 250 polygons that overlap': {
    frames: 1,
    shapes: 250,
    types: ['polygon'],
    size: { width: 200, height: 200 },
    labels: 10,
  },
  'a frame with 20,000 shapes': {
    frames: 1,
    shapes: 20_000,
    types: EVERY_TYPE,
    size: { width: 4000, height: 3000 },
    labels: 10,
  },
};

/** The baseline draws polygons whose centres of pixels decide, the server like COCO: they differ at the outline. */
const TOLERANCE = { rectangle: 1e-9, polygon: 0.02 };

/** @param {import('../bench.mjs').Run} run */
export async function quality({ cli, plan, say }) {
  const engine = join(dirname(cli), 'engines', 'quality');
  const { frames, rounds, matrix, canvases } = plan.quality;
  const lines = [];
  const alone = async (plan) => {
    const measured = [];
    for (let round = 0; round < rounds; round += 1) {
      // A new process each time, whose memory has not grown yet.
      const program = startProgram('quality');
      try {
        measured.push(await program.call('compare', { engine, plan }));
      } finally {
        await program.stop();
      }
    }
    return { seconds: measured.map(({ seconds }) => seconds), growth: measured.map(({ growth }) => growth / 1e6) };
  };

  const many = await alone({ frames, shapes: 100, types: EVERY_TYPE, size: SIZE, labels: 10 });
  const name = `report of ${frames.toLocaleString('en')} frames with 100 shapes of all types, as many in the ground truth`;
  lines.push(line({ name, unit: 's', cairn: many.seconds, goal: MAX_SECONDS, remark: 'processor time' }));
  lines.push(line({ name: '… memory growth', unit: 'MB', cairn: many.growth, goal: MAX_GROWTH_MB }));
  say(`${frames} frames: ${lines[0].cairn.toFixed(2)} s, ${lines[1].cairn.toFixed(0)} MB`);

  const crowd = await alone({ frames: 1, shapes: 5000, types: ['rectangle'], size: SIZE, labels: 10 });
  lines.push(
    line({
      name: 'one frame with 5,000 rectangles, as many in the ground truth',
      unit: 's',
      cairn: crowd.seconds,
      goal: MAX_CROWD_SECONDS,
      remark: 'processor time',
    }),
  );
  say(`one frame: ${lines.at(-1).cairn.toFixed(2)} s`);

  for (const [what, plan] of Object.entries(STALLS)) {
    const stalls = [];
    for (let round = 0; round < rounds; round += 1) stalls.push(await stallOf({ engine, plan }));
    const milliseconds = (name) => stalls.map((each) => each[name] * 1000);
    const delay = Math.min(...milliseconds('delay'));
    lines.push(
      line({
        name: `${what}: longest wait of other requests`,
        unit: 'ms',
        cairn: milliseconds('seconds'),
        goal: MAX_STALL_MS,
        remark: `processor time; the event loop was late by ${delay.toFixed(0)} ms`,
      }),
    );
    say(`${what}: ${lines.at(-1).cairn.toFixed(0)} ms`);
  }

  const compared = { size: SIZE, labels: 10 };
  lines.push(await against(`${matrix} rectangles, compared with a full matrix`, { ...compared, frames: 1, shapes: matrix, types: ['rectangle'] }, { engine, rounds })); // prettier-ignore
  const small = { size: { width: 640, height: 480 }, labels: 10, types: ['polygon'] };
  lines.push(await against(`${canvases.shapes} polygons, compared with bitmaps of 640×480`, { ...small, ...canvases }, { engine, rounds })); // prettier-ignore
  return lines;
}

async function stallOf(parameters) {
  const program = startProgram('quality');
  try {
    return await program.call('stall', parameters);
  } finally {
    await program.stop();
  }
}

/** Both sides must find as many pairs, and the same mean similarity. */
async function against(name, plan, { engine, rounds }) {
  const [cairn, baseline] = [startProgram('quality'), startProgram('baseline-quality')];
  try {
    const found = { cairn: undefined, baseline: undefined };
    const run = async (side, program, parameters) => {
      found[side] = await program.call('compare', parameters);
      return found[side].seconds;
    };
    const numbers = await interleave(
      rounds,
      () => run('cairn', cairn, { engine, plan, panoptic: false }),
      () => run('baseline', baseline, { plan }),
    );
    const difference = Math.abs(found.cairn.similarity - found.baseline.similarity);
    if (found.cairn.pairs !== found.baseline.pairs || difference > TOLERANCE[plan.types[0]])
      throw new Error(`${name}: ${JSON.stringify(found)}`);
    return line({ name, unit: 's', ...numbers, goal: 1, remark: 'processor time' });
  } finally {
    await Promise.all([cairn.stop(), baseline.stop()]);
  }
}
