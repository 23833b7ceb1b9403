// npm run bench:app: how soon the app is usable in the browser, and how responsive lists of 100,000 tasks are, in
// headless Chromium without a graphics card. It measures what the page shows, not when the server responds. See
// docs/benchmarks.md for the numbers.
//
//   npm run bench:app -- --keep FOLDER      keeps the seeded database in this folder; do not share it with bench:lists

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../tools/chromium.mjs';
import { withLists } from './lists/database.mjs';
import { line, percentile } from './measure.mjs';
import { circumstances, machine, table } from './report.mjs';
import { ADMIN } from './server.mjs';

const WINDOW = { width: 1280, height: 800 };
const TASKS = 100_000;
const PAGE_SIZE = 24;
const ROUNDS = 5;
/** A page is idle when its main thread has had no long task for this time. */
const REST_MS = 300;
/** Scrolls a list this far with each frame, for this many frames, forward and back. */
const SCROLL = { by: 40, frames: 180 };
const GOALS_MS = { interactive: 1500, list: 500, scrollFrame: 20, changeFrame: 100 };

const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const cli = resolve(import.meta.dirname, '..', 'dist', 'cli.js');
const keep = values.keep === undefined ? undefined : resolve(values.keep);
const where = machine();
const options = chromiumOptions(); // fails before the seeding, which takes minutes, if there is no Chromium

// The app shows one workspace at a time, so all tasks are in the administrator's.
await withLists({ cli, keep, inOneSpace: true, say: console.error }, async ({ url }) => {
  const browser = await chromium.launch(options);
  try {
    const interactive = await openings(browser, url);
    const lines = [
      line({ name: 'first load until interactive', unit: 'ms', cairn: interactive, goal: GOALS_MS.interactive }),
    ];
    const { steps, frames } = await walk(browser, url);
    for (const [name, times] of Object.entries(steps))
      lines.push(line({ name, unit: 'ms', cairn: times, goal: GOALS_MS.list }));
    lines.push(
      line({ name: 'longest frame while these happen', unit: 'ms', cairn: frames, goal: GOALS_MS.changeFrame }),
      line({
        name: 'scrolling: 95 % of frames within',
        unit: 'ms',
        cairn: await scrolls(browser, url),
        goal: GOALS_MS.scrollFrame,
      }),
    );
    console.log(`\n${circumstances(where)}\n\n${table(lines)}`);
  } finally {
    await browser.close();
  }
});

/** @returns milliseconds from the navigation to a visible list with a search field that accepts input */
async function openings(browser, url) {
  const times = [];
  for (let opening = 0; opening <= ROUNDS; opening += 1) {
    const page = await logIn(browser, url);
    await page.addInitScript(watchLongTasks);
    await page.goto('/tasks', { waitUntil: 'commit' });
    const time = await page.waitForFunction(interactiveAt, REST_MS, { polling: 20 });
    times.push(await time.jsonValue());
    await page.context().close();
  }
  return times.slice(1); // the first one warms up the server
}

async function logIn(browser, url) {
  const context = await browser.newContext({ baseURL: url, viewport: WINDOW });
  await context.request.post('/api/auth/login', { data: ADMIN });
  return context.newPage();
}

/** Runs in the page: stores when the last main-thread task of more than 50 ms ended. */
function watchLongTasks() {
  globalThis.lastLongTask = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) globalThis.lastLongTask = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
}

/** Runs in the page. @returns the time, once the page is idle */
function interactiveAt(restMs) {
  const isThere = document.querySelector('input[type=search]') !== null && document.querySelector('.cards li') !== null;
  if (!isThere) return undefined;
  globalThis.shownAt ??= performance.now();
  const since = Math.max(globalThis.shownAt, globalThis.lastLongTask);
  return performance.now() - since > restMs ? since : undefined;
}

/**
 * Changes pages, searches and filters like a user.
 * @returns milliseconds from each click or key press to its result, and the longest interval between two frames of each
 */
async function walk(browser, url) {
  const page = await openTasks(browser, url);
  await page.evaluate(watchFrames);
  const steps = {};
  const frames = [];
  const shown = async (text) => page.waitForFunction(isShown, text, { polling: 'raf' });
  const measure = async (name, act, text) => {
    await page.evaluate(() => (globalThis.longestFrame = 0));
    const begin = performance.now();
    await act();
    await shown(text);
    (steps[name] ??= []).push(performance.now() - begin);
    frames.push(await page.evaluate(() => globalThis.longestFrame));
  };
  const all = `1–${PAGE_SIZE} of ${TASKS.toLocaleString('en')}`;
  const last = Math.ceil(TASKS / PAGE_SIZE);
  for (let round = 0; round < ROUNDS; round += 1) {
    const button = (name) => page.getByRole('button', { name, exact: true });
    await measure('the next page', () => button('Next page').click(), `${PAGE_SIZE + 1}–${2 * PAGE_SIZE} of`);
    const end = `${((last - 1) * PAGE_SIZE + 1).toLocaleString('en')}–`;
    await measure('the last page', () => button(`Page ${last}`).click(), end);
    await button('Page 1').click();
    await shown(all);
    const wanted = `Crossing ${TASKS - 1000 * round}`;
    await measure('a search, with 0.3 s for typing', () => page.getByRole('searchbox').fill(wanted), '1–1 of 1');
    await button('Show all').click();
    await shown(all);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.waitForTimeout(200); // the options move in
    const option = page.getByRole('option', { name: 'validation' });
    await measure('a filter', () => option.click(), `1–${PAGE_SIZE} of 3`);
    await button('Show all').click();
    await shown(all);
  }
  await page.context().close();
  return { steps, frames };
}

async function openTasks(browser, url) {
  const page = await logIn(browser, url);
  await page.goto('/tasks');
  await page.locator('.cards li').first().waitFor();
  return page;
}

/** Runs in the page: stores the longest interval between two frames. */
function watchFrames() {
  let last = performance.now();
  const watch = (now) => {
    globalThis.longestFrame = Math.max(globalThis.longestFrame ?? 0, now - last);
    last = now;
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
}

/** @returns for each round, the 95th percentile of the interval between frames in milliseconds while a page scrolls */
async function scrolls(browser, url) {
  const page = await openTasks(browser, url);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(percentile(await page.evaluate(scroll, SCROLL), 0.95));
  await page.context().close();
  return rounds;
}

/** Runs in the page. @returns milliseconds between frames */
async function scroll({ by, frames }) {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const intervals = [];
  let direction = 1;
  let last = await nextFrame();
  for (let at = 0; at < frames; at += 1) {
    const before = scrollY;
    scrollBy(0, direction * by);
    if (scrollY === before) direction = -direction;
    const now = await nextFrame();
    intervals.push(now - last);
    last = now;
  }
  return intervals;
}

/** Runs in the page: whether the text under the current list, not the previous one, says so. */
function isShown(text) {
  const isOld = document.querySelector('[aria-busy=true]') !== null;
  return (
    !isOld && [...document.querySelectorAll('[aria-live=polite]')].some((node) => node.textContent.startsWith(text))
  );
}
