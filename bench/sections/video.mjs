// Reads random single frames of a video of ten minutes.

import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { line } from '../measure.mjs';

const SECONDS = 600;
const RATE = 30;
const QUALITY = 70;
const CHUNK_FRAMES = 36;
/** Preparing all chunks takes minutes. This section waits for this long, then reads frames of the chunks that exist. */
const PREPARATION_SECONDS = 45;
const LIMIT_MS = 150;
/** Frames decoded from a keyframe take a second each, so few of them are read. */
const MAX_SLOW = 21;
/** Its multiples, modulo the number of frames, are frames far apart, the same in each run. */
const STRIDE = 7919;

/** The video repeats this many seconds of moving patterns with camera noise, at a camera's bit rate. */
const PART_SECONDS = 25;
const PICTURES = `testsrc2=s=1920x1080:r=${RATE}:d=${PART_SECONDS},noise=alls=8:allf=t`;
const ENCODER = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '8M', '-sc_threshold', '0', '-pix_fmt', 'yuv420p'];

/** Frames from one keyframe to the next. */
const GROUPS = {
  /** As cameras write them: one per second. */
  camera: RATE,
  /** x264's default maximum, reached in one long shot without cuts. */
  longest: 250,
};

/** @param {import('../bench.mjs').Run} run */
export async function video({ api, client, plan, say }) {
  if (spawnSync('ffmpeg', ['-version']).status !== 0) {
    say('videos are left out: ffmpeg is not installed');
    return [];
  }
  const few = Math.min(plan.videoFrames, MAX_SLOW);
  const taskOf = async (file) => {
    const { id: task } = await api.post('/api/tasks', { name: 'ten minutes', labels: [{ name: 'car' }] });
    const common = { base: api.url, headers: api.headers, task };
    const { seconds } = await client.call('upload', { ...common, files: [file], quality: QUALITY });
    return { task, seconds };
  };
  const frames = (task, numbers, quality) => randomFrames(api, task, { numbers, quality });

  const ofCamera = await testVideo(say, GROUPS.camera);
  const camera = await taskOf(ofCamera);
  const cameraEarly = await frames(camera.task, numbersOf(few, 5, SECONDS * RATE));
  const cameraWhole = await frames(camera.task, numbersOf(few, 3, SECONDS * RATE), 'original');
  await api.delete(`/api/tasks/${camera.task}`);

  const file = await testVideo(say, GROUPS.longest);
  const { task, seconds: creation } = await taskOf(file);
  const early = await frames(task, numbersOf(few, 5, SECONDS * RATE));
  const elsewhere = await chunksMade(api);
  await frames(task, [0]); // preparation continues from the last frame that was read
  await sleep(PREPARATION_SECONDS * 1000);
  const chunks = (await chunksMade(api)) - elsewhere;
  if (chunks === 0) throw new Error('no chunk of the video is ready');
  const there = await frames(task, numbersOf(plan.videoFrames, 1, chunks * CHUNK_FRAMES));
  const originals = numbersOf(few, 3, SECONDS * RATE);
  const whole = await frames(task, originals, 'original');
  await api.delete(`/api/tasks/${task}`);
  const cameraAlone = [];
  for (const number of originals) cameraAlone.push(await frameAlone(ofCamera, number));
  const alone = [];
  for (const number of originals) alone.push(await frameAlone(file, number));
  const timed = (name, cairn, goal) => line({ name, unit: 'ms', cairn, goal });
  return [
    line({ name: 'task with a video of 10 minutes, 1920×1080, a keyframe a second', unit: 's', cairn: [camera.seconds] }), // prettier-ignore
    timed('… a random frame, immediately after the creation', cameraEarly, LIMIT_MS),
    timed('… a random frame in original quality', cameraWhole, LIMIT_MS),
    line({ name: '… the same, compared with ffmpeg alone', unit: 'ms', cairn: cameraWhole, baseline: cameraAlone }),
    line({ name: `task with a video of one keyframe every ${GROUPS.longest} frames`, unit: 's', cairn: [creation] }),
    timed('… a random frame, immediately after the creation', early, LIMIT_MS),
    line({ name: `… seconds of video prepared as chunks in ${PREPARATION_SECONDS} s`, unit: 's', cairn: [(chunks * CHUNK_FRAMES) / RATE] }), // prettier-ignore
    timed('… a random frame of these chunks', there, LIMIT_MS),
    timed('… a random frame in original quality', whole, LIMIT_MS),
    line({ name: '… the same, compared with ffmpeg alone', unit: 'ms', cairn: whole, baseline: alone }),
  ];
}

const numbersOf = (count, seed, frames) =>
  Array.from({ length: count }, (_, at) => ((at + 1) * STRIDE * seed) % frames);

/** The baseline for a frame: one seek to the previous keyframe, and a PNG. */
async function frameAlone(file, number) {
  const began = performance.now();
  await ffmpeg(
    '-ss',
    String(number / RATE),
    '-i',
    file,
    '-frames:v',
    '1',
    '-f',
    'image2',
    '-c:v',
    'png',
    '-update',
    '1',
    '/dev/null',
  );
  return performance.now() - began;
}

/** Milliseconds for each of the given frames. */
async function randomFrames(api, task, { numbers, quality = 'compressed' }) {
  const times = [];
  for (const number of numbers) {
    const url = `${api.url}/api/tasks/${task}/data?type=frame&quality=${quality}&number=${number}`;
    const began = performance.now();
    const response = await fetch(url, { headers: { ...api.headers, Accept: '*/*' } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`frame ${number} was answered with ${response.status}`);
    times.push(performance.now() - began);
  }
  return times;
}

/** Number of chunks that this server has prepared. */
async function chunksMade(api) {
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  return Number(/^cairn_chunk_cache_uses\S*\{result="miss"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

/** Creates the video once; it stays in the temporary folder. @param group frames from one keyframe to the next */
async function testVideo(say, group) {
  const recipe = ['-f', 'lavfi', '-i', PICTURES, ...ENCODER, '-g', String(group)];
  const digest = createHash('sha256')
    .update(JSON.stringify([recipe, SECONDS]))
    .digest('hex');
  const path = join(tmpdir(), `cairn-bench-video-${digest.slice(0, 12)}.mp4`);
  if (existsSync(path)) return path;
  say('making a video of ten minutes');
  const [once, unfinished] = [`${path}.once.mp4`, `${path}.unfinished.mp4`];
  await ffmpeg(...recipe, once);
  await ffmpeg('-stream_loop', String(SECONDS / PART_SECONDS - 1), '-i', once, '-c', 'copy', unfinished);
  rmSync(once);
  renameSync(unfinished, path);
  return path;
}

/** Asynchronous, so that the client notices connections that the server closes meanwhile. */
const ffmpeg = (...args) => promisify(execFile)('ffmpeg', ['-v', 'error', '-y', ...args]);
