// Single frames of a video of ten minutes, chosen by chance.

import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { line } from '../measure.mjs';

const SECONDS = 600;
const RATE = 30;
const QUALITY = 70;
const CHUNK_FRAMES = 36;
const MOST_EARLY = 21;
const PREPARATION_MS = 1_800_000;
const LIMIT_MS = 150;
/** Multiples of it, modulo the number of frames, are frames far apart from each other, the same ones in each run. */
const STRIDE = 7919;

/** @param {import('../bench.mjs').Run} run */
export async function video({ api, client, plan, say }) {
  if (spawnSync('ffmpeg', ['-version']).status !== 0) {
    say('videos are left out: ffmpeg is not installed');
    return [];
  }
  const file = testVideo(say);
  const { id: task } = await api.post('/api/tasks', { name: 'ten minutes', labels: [{ name: 'car' }] });
  const common = { base: api.url, headers: api.headers, task };
  const { seconds: creation } = await client.call('upload', { ...common, files: [file], quality: QUALITY });
  const early = await randomFrames(api, task, { count: Math.min(plan.videoFrames, MOST_EARLY), seed: 5 });
  const began = performance.now();
  await untilPrepared(api);
  const preparation = (performance.now() - began) / 1000;
  const times = await randomFrames(api, task, { count: plan.videoFrames, seed: 1 });
  const whole = await randomFrames(api, task, { count: MOST_EARLY, seed: 3, quality: 'original' });
  await api.delete(`/api/tasks/${task}`);
  return [
    line({ name: 'task with a video of 10 minutes, 1920×1080', unit: 's', cairn: [creation] }),
    line({ name: '… all its compressed chunks, in the background', unit: 's', cairn: [preparation] }),
    line({ name: '… one of its frames, by chance, before that', unit: 'ms', cairn: early }),
    line({ name: '… one of its frames, by chance', unit: 'ms', cairn: times, goal: LIMIT_MS }),
    line({ name: '… one of its frames, by chance, in original quality', unit: 'ms', cairn: whole }),
  ];
}

/** Milliseconds for each of some frames far apart. */
async function randomFrames(api, task, { count, seed, quality = 'compressed' }) {
  const times = [];
  for (let at = 1; at <= count; at += 1) {
    const number = (at * STRIDE * seed) % (SECONDS * RATE);
    const url = `${api.url}/api/tasks/${task}/data?type=frame&quality=${quality}&number=${number}`;
    const began = performance.now();
    const response = await fetch(url, { headers: { ...api.headers, Accept: '*/*' } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`frame ${number} was answered with ${response.status}`);
    times.push(performance.now() - began);
  }
  return times;
}

/** Until all chunks have been made. */
async function untilPrepared(api) {
  const chunks = (SECONDS * RATE) / CHUNK_FRAMES;
  for (const end = performance.now() + PREPARATION_MS; performance.now() < end; await sleep(500)) {
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    const made = /^cairn_chunk_cache_uses\S*\{result="made"\} (\d+)/m.exec(metrics)?.[1];
    if (Number(made ?? 0) >= chunks) return;
  }
  throw new Error('the chunks of the video are not ready');
}

/**
 * H.264 as ffmpeg makes it when nobody says otherwise: a keyframe every 250 frames, three B-frames between others. One
 * minute of moving patterns with the noise of a camera, ten times.
 */
function testVideo(say) {
  const path = join(tmpdir(), `cairn-bench-video-${SECONDS}-${RATE}-1080.mp4`);
  if (existsSync(path)) return path;
  say('making a video of ten minutes');
  const [minute, part] = [`${path}.minute.mp4`, `${path}.part.mp4`];
  const source = `testsrc2=s=1920x1080:r=${RATE}:d=60,noise=alls=8:allf=t`;
  ffmpeg('-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', minute);
  ffmpeg('-stream_loop', String(SECONDS / 60 - 1), '-i', minute, '-c', 'copy', part);
  rmSync(minute);
  renameSync(part, path);
  return path;
}

function ffmpeg(...args) {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args]);
  if (status !== 0) throw new Error(`no video: ${stderr.toString()}`);
}
