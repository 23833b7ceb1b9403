// Uploads photographs and reads the task's compressed chunks, compared with sharp alone on the same files: seconds, and
// size and quality of the frames of the first chunk. Then reads single frames of cached chunks.

import sharp from 'sharp';
import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { photographs } from '../photographs.mjs';

const QUALITY = 70;
const PARALLEL_READS = 4;
const CALIBRATION_FILES = 24;
/** Frames of the first chunk whose size and quality are compared: two of each of the demo's photographs. */
const COMPARED = 14;
const CONNECTIONS = 8;
const FRAMES_PER_SECOND = 1_500;

/** @param {import('../bench.mjs').Run} run */
export async function taskData({ api, client, plan, say }) {
  if (!(await api.serves('/api/tasks/1/data'))) {
    say('this server does not take photographs');
    return [];
  }
  const files = await photographs(Math.max(...plan.photographs.map(({ count }) => count)), say);
  const baseline = startProgram('baseline-sharp');
  try {
    const setting = await baseline.call('best', { files: files.slice(0, CALIBRATION_FILES), quality: QUALITY });
    say(`sharp alone is fastest with ${setting.parallel} images at a time, ${setting.threads} threads each`);
    const lines = [];
    for (const { count, rounds, goal, noise = 0 } of plan.photographs) {
      const some = await photographs(count, say, noise);
      const made = [];
      const numbers = await interleave(
        rounds,
        async () => {
          const one = await throughTheServer({ api, client, files: some, seconds: plan.roundSeconds });
          made.push(one);
          return one.creation + one.chunks;
        },
        () => baseline.call('run', { files: some, quality: QUALITY, ...setting }),
      );
      const what = noise === 0 ? 'photographs' : `photographs with noise of σ = ${noise}`;
      lines.push(
        line({ name: `task with ${count} ${what}`, unit: 's', cairn: made.map(({ creation }) => creation) }),
        line({ name: `… its compressed chunks`, unit: 's', cairn: made.map(({ chunks }) => chunks) }),
        line({ name: `… both, compared with sharp alone`, unit: 's', ...numbers, goal }),
        await frameSizes(baseline, some, made[0].first),
        line({
          name: `… single frames of cached chunks, ${CONNECTIONS} connections`,
          unit: 'frames/s',
          cairn: made.map(({ frames }) => frames),
          goal: FRAMES_PER_SECOND,
        }),
      );
      for (const { name, unit, cairn, baseline: theirs, remark } of lines.slice(-3))
        say(`${count} ${what} ${name}: ${cairn.toFixed(2)} ${unit}, sharp ${theirs?.toFixed(2)} ${remark}`);
    }
    return lines;
  } finally {
    await baseline.stop();
  }
}

/** Creates a task, timed from the first byte sent, and deletes it. */
async function throughTheServer({ api, client, files, seconds }) {
  const { id: task } = await api.post('/api/tasks', { name: `${files.length} photographs`, labels: [{ name: 'car' }] });
  const common = { base: api.url, headers: api.headers, task };
  const { seconds: creation } = await client.call('upload', { ...common, files, quality: QUALITY });
  const { seconds: chunks, first } = await client.call('chunks', { ...common, parallel: PARALLEL_READS });
  const path = `/api/tasks/${task}/data?type=frame&quality=compressed&number=`;
  const requests = files.map((_, number) => ({ method: 'GET', path: path + number }));
  const { rate } = await client.call('run', { ...common, requests, connections: CONNECTIONS, seconds });
  await api.delete(`/api/tasks/${task}`);
  return { creation, chunks, first, frames: rate };
}

/**
 * Bytes of the first frames, and the mean of their signal-to-noise ratios. Each must be as close to its photograph as
 * sharp's JPEG at the same quality, in at most 5 % more bytes. The remark names those that are not.
 */
async function frameSizes(baseline, files, chunk) {
  const pixels = (image) => sharp(image).raw().toBuffer();
  const frames = members(chunk).slice(0, COMPARED);
  const [ours, theirs, ratios, theirRatios, worse] = [[], [], [], [], []];
  for (const [at, frame] of frames.entries()) {
    const other = await baseline.call('one', { file: files[at], quality: QUALITY });
    const [photograph, ...both] = await Promise.all([files[at], frame, other].map(pixels));
    const [near, theirNear] = both.map((image) => signalToNoise(photograph, image));
    ours.push(frame.length / 1e6);
    theirs.push(other.length / 1e6);
    ratios.push(near);
    theirRatios.push(theirNear);
    if (near < theirNear - 0.3 || frame.length > 1.05 * other.length)
      worse.push(`frame ${at}: ${(frame.length / other.length).toFixed(2)}, ${near.toFixed(1)} dB`);
  }
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const mean = (values) => (sum(values) / values.length).toFixed(1);
  const remark = [`${mean(ratios)} dB, sharp ${mean(theirRatios)} dB`, ...worse].join('; ');
  const name = `… bytes of ${frames.length} compressed frames, compared with sharp alone`;
  return line({ name, unit: 'MB', cairn: [sum(ours)], baseline: [sum(theirs)], goal: 0.95, remark });
}

/** The entries of an archive without compression. */
function members(zip) {
  const found = [];
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50;) {
    const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    at = start + zip.readUInt32LE(at + 18);
    found.push(zip.subarray(start, at));
  }
  return found;
}

/** Peak signal-to-noise ratio in dB. */
function signalToNoise(one, other) {
  const errors = one.reduce((sum, value, at) => sum + (value - other[at]) ** 2, 0);
  return 10 * Math.log10((255 ** 2 * one.length) / errors);
}
