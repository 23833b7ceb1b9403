// Playback of a video on the job page: which frames are shown, and that the annotations on them are theirs.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTask } from './annotated-task.mjs';
import { inspect, startApp } from './support.mjs';

const SIZE = { width: 640, height: 360 };
const FRAMES = 75;
/** The lower half of a frame has a bar for each bit of its number. */
const BITS = 8;
/** Left side of the track on the upper half: where it starts, and how far it moves with each frame. */
const TRACK = { start: 20, step: 6 };

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;
const options = { skip: !hasFfmpeg && process.env.CI === undefined && 'ffmpeg is not installed' };

let app;
let page;
let folder;
let jobId;

before(async () => {
  if (options.skip) return;
  folder = await mkdtemp(join(tmpdir(), 'cairn-playback-'));
  app = await startApp();
  ({ jobId } = await createClip());
  page = await app.newPage({ width: 1280, height: 800 });
});

after(async () => {
  await app?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Creates a job of a clip with 25 frames per second and a track through all frames. */
async function createClip(data = {}, frames = FRAMES) {
  const path = join(folder, 'clip.mp4');
  const bar = `mod(floor(N/pow(2,floor(X*${BITS}/W))),2)`;
  const picture = `color=black:s=${SIZE.width}x${SIZE.height}:r=25:d=${FRAMES / 25},geq=lum='16+219*gt(Y,H/2)*${bar}':cb=128:cr=128`;
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', picture, ...encoder, path]);
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  const made = await createTask(app.api, { url, key }, [path], {}, data);
  const keyframe = (frame) => {
    const left = TRACK.start + TRACK.step * frame;
    return { type: 'rectangle', frame, points: [left, 20, left + 60, 120] };
  };
  const last = frames - 1;
  const track = { label_id: made.labels.cat.id, frame: 0, shapes: [keyframe(0), keyframe(last)] };
  await app.api('PUT', `/jobs/${made.jobId}/annotations`, { version: 0, tags: [], shapes: [], tracks: [track] });
  return made;
}

async function open(job, { page: where = page } = {}) {
  await where.goto(`/jobs/${job}`);
  await where.locator('[role=img][data-frame="0"]').waitFor();
  await where.getByText('1 object', { exact: true }).waitFor();
  await where.evaluate(`globalThis.readCanvas = ${readCanvas.toString()}`);
}

/** Runs in the page. @returns the number in the image of the frame, and the left side of the track drawn on it */
function readCanvas({ width, height, bits }) {
  const [image, annotations] = document.querySelectorAll('[role=img][data-frame] canvas');
  const margin = 16;
  const scale = Math.min((image.width - 2 * margin) / width, (image.height - 2 * margin) / height);
  const left = (image.width - width * scale) / 2;
  const top = (image.height - height * scale) / 2;
  const row = (canvas, y) => canvas.getContext('2d').getImageData(left, top + y * scale, width * scale, 1).data;
  const bars = row(image, height * 0.75);
  let number = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const x = Math.floor(((bit + 0.5) / bits) * width * scale);
    if (bars[4 * x + 1] > 127) number += 2 ** bit;
  }
  const upper = row(annotations, 70);
  let x = 0;
  while (4 * x < upper.length && upper[4 * x] < 120) x += 1;
  return { number, side: x / scale };
}

/** Runs in the page: records what the canvas shows until playback ends. */
async function record(clip) {
  const seen = [];
  while (document.querySelector('[aria-label="Pause"]') !== null) {
    const shown = globalThis.readCanvas(clip);
    if (seen.at(-1)?.number !== shown.number || seen.at(-1)?.side !== shown.side) seen.push(shown);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return seen;
}

const CLIP = { ...SIZE, bits: BITS };
const shownOn = (where) => where.evaluate((clip) => globalThis.readCanvas(clip), CLIP);

/** Plays to the end. @returns what was shown */
async function play(where = page) {
  await where.getByRole('button', { name: 'Play', exact: true }).click();
  return where.evaluate(record, CLIP);
}

/** Checks that the track is where it belongs on the frame. @param step distance of frames in the video */
function checkTrack({ number, side }, step = 1) {
  const wanted = TRACK.start + TRACK.step * (number / step);
  assert.ok(Math.abs(side - wanted) <= 2, `the track of frame ${number} is at ${side} instead of ${wanted}`);
}

function checkOrder(seen) {
  for (const [at, { number }] of seen.entries())
    assert.ok(at === 0 || number >= seen[at - 1].number, `${number} after ${seen[at - 1]?.number}`);
}

test('frames are played in order, with their annotations, from few requests', options, async () => {
  const requests = [];
  page.on('request', (request) => requests.push(new URL(request.url()).searchParams.get('type')));
  await open(jobId);
  const seen = await play();
  await page.locator(`[role=img][data-frame="${FRAMES - 1}"]`).waitFor();
  checkOrder(seen);
  for (const shown of seen) checkTrack(shown);
  assert.ok(new Set(seen.map(({ number }) => number)).size > 10, `only ${seen.length} frames were shown`);
  assert.ok(requests.filter((type) => type === 'chunk').length <= Math.ceil(FRAMES / 36));
  // The first frame, and on a slow machine one whose chunk is still being created.
  assert.ok(requests.filter((type) => type === 'frame').length <= 3, 'frames were requested one by one');
  await page.waitForURL(`**/jobs/*?frame=${FRAMES - 1}`);
  assert.equal((await shownOn(page)).number, FRAMES - 1);
});

test('every frame is exact when the user steps, pauses and seeks', options, async () => {
  const go = async (frame) => {
    await page.locator(`[role=img][data-frame="${frame}"]`).waitFor();
    await page.waitForFunction(([clip, wanted]) => globalThis.readCanvas(clip).number === wanted, [CLIP, frame]);
    checkTrack(await shownOn(page));
  };
  await page.keyboard.press('Home');
  await go(0);
  for (const frame of [1, 2, 3]) {
    await page.keyboard.press('f');
    await go(frame);
  }
  await page.getByLabel('Go to frame').fill('40');
  await page.keyboard.press('Enter');
  await go(40);
  for (const frame of [39, 38, 37, 36, 35, 34]) {
    await page.keyboard.press('d');
    await go(frame);
  }
  await page.getByLabel('Go to frame').fill('10');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.locator('[role=img]:not([data-frame="10"])').waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await go(Number(await page.locator('[role=img]').getAttribute('data-frame')));
});

test('the speed is selected with the keyboard', options, async () => {
  await open(jobId);
  await page.keyboard.press('<');
  await page.getByRole('button', { name: 'Playback speed: 0.5×' }).press('Enter');
  await page.getByRole('menuitemradio', { name: '0.5×' }).waitFor();
  await inspect(page);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Playback speed: 4×' }).waitFor();
  await page.keyboard.press('Home');
  await page.locator('[role=img][data-frame="0"]').waitFor();
  const seen = await play();
  checkOrder(seen);
  for (const shown of seen) checkTrack(shown);
  await page.locator(`[role=img][data-frame="${FRAMES - 1}"]`).waitFor();
});

test('a job with every second frame is played without its deleted frames', options, async () => {
  const frames = Math.ceil(FRAMES / 2);
  const { jobId: job } = await createClip({ frame_filter: 'step=2' }, frames);
  const deleted = [5, 6, 7, frames - 1];
  await app.api('PATCH', `/jobs/${job}/data/meta`, { deleted_frames: deleted });
  assert.equal((await app.api('GET', `/jobs/${job}/data/meta`)).frame_rate, 25);
  await open(job);
  const seen = await play();
  checkOrder(seen);
  for (const shown of seen) {
    checkTrack(shown, 2);
    assert.ok(!deleted.includes(shown.number / 2), `deleted frame ${shown.number / 2} was shown`);
  }
  await page.locator(`[role=img][data-frame="${frames - 2}"]`).waitFor();
});

test('archives of images are played as well', options, async () => {
  const { jobId: job } = await createClip({ use_zip_chunks: 'true' });
  await open(job);
  const seen = await play();
  assert.ok(
    page.workers().some((worker) => worker.url().includes('archive-worker')),
    'chunks are unpacked on the main thread',
  );
  checkOrder(seen);
  for (const shown of seen) checkTrack(shown);
  await page.locator(`[role=img][data-frame="${FRAMES - 1}"]`).waitFor();
});

test(
  'without WebCodecs, a video element decodes the chunks, and each frame is the requested one',
  options,
  async () => {
    const other = await app.newPage();
    await other.addInitScript(() => delete globalThis.VideoDecoder);
    const requests = [];
    other.on('request', (request) => requests.push(new URL(request.url()).searchParams.get('type')));
    await open(jobId, { page: other });
    for (const frame of [40, 39, 12, FRAMES - 1, 0]) {
      await other.getByLabel('Go to frame').fill(String(frame));
      await other.keyboard.press('Enter');
      await other.locator(`[role=img][data-frame="${frame}"]`).waitFor();
      const shown = await shownOn(other);
      assert.equal(shown.number, frame);
      checkTrack(shown);
    }
    const seen = await play(other);
    checkOrder(seen);
    for (const shown of seen) checkTrack(shown);
    assert.equal((await shownOn(other)).number, FRAMES - 1);
    assert.ok(seen.length > FRAMES / 5, `${seen.length} frames were shown`);
    const counts = ['frame', 'chunk'].map((type) => requests.filter((one) => one === type).length);
    assert.ok(counts[0] <= 5 && counts[1] > 0, `${counts.join(' frames and ')} chunks were requested`);
    await other.context().close();
  },
);

test('a browser that cannot decode videos requests the frames one by one', options, async () => {
  const other = await app.newPage();
  await other.addInitScript(() => {
    delete globalThis.VideoDecoder;
    delete HTMLVideoElement.prototype.requestVideoFrameCallback;
  });
  const requests = [];
  other.on('request', (request) => requests.push(new URL(request.url()).searchParams.get('type')));
  await open(jobId, { page: other });
  await other.getByLabel('Go to frame').fill(String(FRAMES - 4));
  await other.keyboard.press('Enter');
  await other.locator(`[role=img][data-frame="${FRAMES - 4}"]`).waitFor();
  const seen = await play(other);
  checkOrder(seen);
  for (const shown of seen) checkTrack(shown);
  assert.equal((await shownOn(other)).number, FRAMES - 1);
  const counts = ['frame', 'chunk'].map((type) => requests.filter((one) => one === type).length);
  assert.ok(counts[0] > 1 && counts[1] <= 1, `${counts.join(' frames and ')} chunks were requested`);
  await other.context().close();
});
