// Photographs into a task and its compressed chunks out again, beside sharp alone on the same files.

import sharp from 'sharp';
import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { photographs } from '../photographs.mjs';

const QUALITY = 70;
const PARALLEL_READS = 4;
const CALIBRATION_FILES = 24;

/** @param {import('../bench.mjs').Run} run */
export async function taskData({ api, client, plan, say }) {
  if (!(await api.serves('/api/tasks/1/data'))) {
    say('this server does not take photographs');
    return [];
  }
  const files = await photographs(Math.max(...plan.photographs.map(({ count }) => count)), say);
  const bare = startProgram('bare-sharp');
  try {
    const setting = await bare.call('best', { files: files.slice(0, CALIBRATION_FILES), quality: QUALITY });
    say(`sharp alone is fastest with ${setting.parallel} pictures at a time, ${setting.threads} threads each`);
    const lines = [];
    for (const { count, rounds, goal } of plan.photographs) {
      const some = files.slice(0, count);
      const made = [];
      const numbers = await interleave(
        rounds,
        async () => {
          const one = await throughTheServer(api, client, some);
          made.push(one);
          return one.creation + one.chunks;
        },
        () => bare.call('run', { files: some, quality: QUALITY, ...setting }),
      );
      const remark = await compare(bare, some[0], made[0].first);
      lines.push(
        line({ name: `task with ${count} photographs`, unit: 's', cairn: made.map(({ creation }) => creation) }),
        line({ name: `… its compressed chunks`, unit: 's', cairn: made.map(({ chunks }) => chunks) }),
        line({ name: `… both, beside sharp alone`, unit: 's', ...numbers, goal, remark }),
      );
      say(`${count} photographs: ${lines.at(-1).cairn.toFixed(2)} s, sharp alone ${lines.at(-1).bare.toFixed(2)} s`);
    }
    return lines;
  } finally {
    await bare.stop();
  }
}

/** A new task, timed from the first byte sent; deleted again. */
async function throughTheServer(api, client, files) {
  const { id: task } = await api.post('/api/tasks', { name: `${files.length} photographs`, labels: [{ name: 'car' }] });
  const common = { base: api.url, headers: api.headers, task };
  const { seconds: creation } = await client.call('upload', { ...common, files, quality: QUALITY });
  const { seconds: chunks, first } = await client.call('chunks', { ...common, parallel: PARALLEL_READS });
  await api.delete(`/api/tasks/${task}`);
  return { creation, chunks, first };
}

/** The first frame of a chunk must be as near to the photograph as the bare program's JPEG, in about as many bytes. */
async function compare(bare, file, chunk) {
  const pixels = (image) => sharp(image).raw().toBuffer();
  const [ours, theirs] = [firstMember(chunk), await bare.call('one', { file, quality: QUALITY })];
  const [photograph, ...both] = await Promise.all([file, ours, theirs].map(pixels));
  const [near, theirsNear] = both.map((image) => signalToNoise(photograph, image));
  const size = ours.length / theirs.length;
  if (near > theirsNear - 0.3 && size < 1.05) return '';
  return `${near.toFixed(1)} dB and ${size.toFixed(2)} of the size of the bare program's ${theirsNear.toFixed(1)} dB`;
}

/** Of an archive of stored files. */
function firstMember(zip) {
  const [size, name, extra] = [zip.readUInt32LE(18), zip.readUInt16LE(26), zip.readUInt16LE(28)];
  return zip.subarray(30 + name + extra, 30 + name + extra + size);
}

/** Peak signal-to-noise ratio in dB. */
function signalToNoise(one, other) {
  const errors = one.reduce((sum, value, at) => sum + (value - other[at]) ** 2, 0);
  return 10 * Math.log10((255 ** 2 * one.length) / errors);
}
