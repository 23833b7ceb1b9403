// npm run bench:playback: how many frames of a clip the job page shows at each speed, and how many requests that takes, in
// headless Chromium without a graphics card: with WebCodecs, and without, as over plain HTTP. See docs/benchmarks.md.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../tools/chromium.mjs';
import { createTask } from '../web/test/annotated-task.mjs';
import { caller } from './api.mjs';
import { ADMIN } from './server.mjs';
import { withTestDatabase } from './workplace.mjs';

/** A pan over a photograph, so that every frame differs from the one before in all its pixels. */
const CLIP = { width: 1280, height: 720, rate: 25, frames: 500 };
const SPEEDS = [0.25, 0.5, 1, 2, 4];
/** The most frames per second that the page shows, by design. */
const MAX_RATE = 60;
const WATCHED_MS = 4000;
/** A track through all frames, and a few shapes. */
const TRACKS = 20;
const cli = resolve(import.meta.dirname, '..', 'dist', 'cli.js');

await withTestDatabase(cli, async ({ start }) => {
  const { url } = await start();
  const jobId = await makeJob(url);
  const browser = await chromium.launch(chromiumOptions());
  try {
    console.log(`\n${CLIP.width}×${CLIP.height}, ${CLIP.rate} frames/s, ${TRACKS} tracks\n`);
    console.log('| decoder | speed | frames due | frames shown | of those due | requests |');
    console.log('| --- | --- | --- | --- | --- | --- |');
    for (const decoder of ['WebCodecs', '`<video>`']) {
      const context = await browser.newContext({ baseURL: url, viewport: { width: 1600, height: 900 } });
      await context.request.post('/api/auth/login', { data: ADMIN });
      const page = await context.newPage();
      if (decoder !== 'WebCodecs') await page.addInitScript(() => delete globalThis.VideoDecoder);
      for (const speed of SPEEDS) await measure(page, { jobId, decoder, speed });
      await context.close();
    }
    console.log(`\nload ${loadavg()[0].toFixed(1)} at the end`);
  } finally {
    await browser.close();
  }
});

/** Plays the clip from its start at a speed, and prints a row. */
async function measure(page, { jobId, decoder, speed }) {
  let requests = 0;
  const count = (request) => (requests += request.url().includes('/data?') ? 1 : 0);
  await page.goto(`/jobs/${jobId}`);
  await page.locator('[role=img][data-frame="0"]').waitFor();
  await page.getByText(`${TRACKS} objects`, { exact: true }).waitFor();
  page.on('request', count);
  await page.getByRole('button', { name: /^Playback speed/ }).click();
  await page.getByRole('menuitemradio', { name: `${speed}×`, exact: true }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  const { shown, passed, milliseconds } = await page.evaluate(watch, WATCHED_MS);
  page.off('request', count);
  const rate = CLIP.rate * speed;
  const due = Math.min((Math.min(rate, MAX_RATE) * milliseconds) / 1000, CLIP.frames);
  assert.ok(passed > 0, 'nothing was played');
  const share = Math.min(1, shown / due);
  console.log(
    `| ${decoder} | ${speed}× | ${due.toFixed(0)} | ${shown} | ${(share * 100).toFixed(0)} % | ${requests} |`,
  );
}

/** Runs in the page. @returns the number of frames that were shown, how far the clip went, and for how long */
async function watch(limit) {
  const view = document.querySelector('[role=img][data-frame]');
  const seen = new Set();
  const observer = new MutationObserver(() => seen.add(Number(view.dataset.frame)));
  observer.observe(view, { attributeFilter: ['data-frame'] });
  const start = performance.now();
  while (performance.now() - start < limit && document.querySelector('[aria-label="Pause"]') !== null)
    await new Promise((done) => requestAnimationFrame(done));
  observer.disconnect();
  return { shown: seen.size, passed: Math.max(...seen), milliseconds: performance.now() - start };
}

async function makeJob(url) {
  const call = await caller(url);
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-playback-'));
  try {
    const clip = join(folder, 'clip.mp4');
    const photo = join(import.meta.dirname, '..', 'demo', 'photos', 'hubble-deep-field.jpg');
    const { width, height, rate, frames } = CLIP;
    const pan = `zoompan=z=1.5:x='(iw-iw/zoom)*on/${frames}':y='(ih-ih/zoom)/2':d=${frames}:s=${width}x${height}:fps=${rate}`;
    const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'];
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-y',
      '-i',
      photo,
      '-vf',
      pan,
      '-frames:v',
      String(frames),
      ...encoder,
      clip,
    ]);
    const { jobId, labels } = await createTask(call, { url, key: call.key }, [clip]);
    const box = (frame, at) => {
      const [left, top] = [(at % 5) * 200 + frame, Math.floor(at / 5) * 150];
      return { type: 'rectangle', frame, points: [left, top, left + 150, top + 100] };
    };
    const tracks = Array.from({ length: TRACKS }, (_, at) => ({
      label_id: labels.cat.id,
      frame: 0,
      shapes: [box(0, at), box(frames - 1, at)],
    }));
    await call('PUT', `/jobs/${jobId}/annotations`, { version: 0, tags: [], shapes: [], tracks });
    return jobId;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
