// Single frames of a video of ten minutes, chosen by chance.

import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { line } from '../measure.mjs';

const SECONDS = 600;
const RATE = 30;
const QUALITY = 70;
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
  const times = [];
  for (let at = 1; at <= plan.videoFrames; at += 1) {
    const number = (at * STRIDE) % (SECONDS * RATE);
    const url = `${api.url}/api/tasks/${task}/data?type=frame&number=${number}`;
    const began = performance.now();
    const response = await fetch(url, { headers: { ...api.headers, Accept: '*/*' } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`frame ${number} was answered with ${response.status}`);
    times.push(performance.now() - began);
  }
  await api.delete(`/api/tasks/${task}`);
  return [
    line({ name: 'task with a video of 10 minutes, 1280×720', unit: 's', cairn: [creation] }),
    line({ name: '… one of its frames, by chance', unit: 'ms', cairn: times, goal: LIMIT_MS }),
  ];
}

/** H.264 as ffmpeg makes it when nobody says otherwise: a keyframe every 250 frames, three B-frames between others. */
function testVideo(say) {
  const path = join(tmpdir(), `cairn-bench-video-${SECONDS}-${RATE}.mp4`);
  if (existsSync(path)) return path;
  say('making a video of ten minutes');
  const source = `testsrc2=s=1280x720:r=${RATE}:d=${SECONDS}`;
  const part = `${path}.part.mp4`;
  const args = ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-preset', 'veryfast'];
  const { status, stderr } = spawnSync('ffmpeg', [...args, '-pix_fmt', 'yuv420p', part]);
  if (status !== 0) throw new Error(`no video: ${stderr.toString()}`);
  renameSync(part, path);
  return path;
}
