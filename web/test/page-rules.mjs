// Checks for every page: layout at any width, and use with the keyboard.
import assert from 'node:assert/strict';

const SPARE_STEPS = 20;

/** Click targets in tables are at least 24 pixels high and wide, as WCAG 2.2 requires. */
export async function hasLargeTargets(page) {
  const small = await page.locator('table :is(a, button, input)').evaluateAll((targets) =>
    targets.flatMap((target) => {
      const { width, height } = target.getBoundingClientRect();
      return width === 0 || (width >= 24 && height >= 24)
        ? []
        : [`${width}x${height}: ${target.outerHTML.slice(0, 160)}`];
    }),
  );
  assert.deepEqual(small, [], page.url());
}

/** Nothing is wider than the window, and no text is clipped. */
export async function fits(page) {
  assert.deepEqual(await page.evaluate(findCut), [], `${page.url()} at ${page.viewportSize().width} px`);
}

/** No table needs horizontal scrolling. */
export async function showsTablesWhole(page) {
  const hidden = await page
    .locator('.table-scroll')
    .evaluateAll((tables) => tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  assert.deepEqual([...new Set([0, ...hidden])], [0], `${page.url()} at ${page.viewportSize().width} px`);
}

/** Runs in the page. @returns elements that overflow the window or clip their text */
function findCut() {
  const found = [];
  const tell = (element, what) => found.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  const root = document.documentElement;
  if (root.scrollWidth > window.innerWidth) found.push(`the page is ${root.scrollWidth} px wide`);
  const scrolls = (element) => {
    for (let each = element; each !== null && each !== document.body; each = each.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(each).overflowX)) return true;
    return false;
  };
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!hasText || !element.checkVisibility() || element.closest('.visually-hidden, svg, noscript') !== null) continue;
    const style = getComputedStyle(element);
    const { left, right } = element.getBoundingClientRect();
    if ((right > window.innerWidth + 1 || left < -1) && !scrolls(element)) tell(element, 'outside the window');
    const isClipped = ['hidden', 'clip'].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
    if (isClipped && style.textOverflow !== 'ellipsis') tell(element, 'cut');
  }
  return found;
}

/** Every control is reachable with Tab, visible when focused, and does not trap the focus. */
export async function worksByKeyboard(page) {
  const wanted = await page.evaluate(collect);
  const unseen = [];
  for (let step = 0; step < wanted.count + SPARE_STEPS; step += 1) {
    await page.keyboard.press('Tab');
    const { isRound, problem } = await page.evaluate(noteFocus);
    if (problem !== null) unseen.push(problem);
    if (isRound) break;
  }
  const missed = await page.evaluate(findMissed);
  assert.deepEqual(
    { missed, unseen, onlyByMouse: wanted.onlyByMouse },
    { missed: [], unseen: [], onlyByMouse: [] },
    page.url(),
  );
}

/** Runs in the page. Collects the elements that Tab must reach. */
function collect() {
  const USABLE = 'a[href],button,input,select,textarea,summary,[tabindex]';
  const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const wanted = [...document.querySelectorAll(USABLE)].filter((element) => {
    if (element.tabIndex < 0 || element.disabled || !isShown(element) || element.closest('[inert]') !== null)
      return false;
    if (element.type !== 'radio') return true;
    // Tab reaches one radio button of a group, the arrow keys reach the others
    const group = [...document.querySelectorAll(`input[type=radio][name="${element.name}"]`)];
    return element.checked || !group.some(({ checked }) => checked);
  });
  globalThis.cairnFocus = { wanted, seen: new Set() };
  const points = (element) => getComputedStyle(element).cursor === 'pointer';
  const onlyByMouse = [...document.body.querySelectorAll('*')]
    .filter((element) => points(element) && !points(element.parentElement) && isShown(element))
    .filter((element) => element.closest(`${USABLE},label,[role=option],[role=tab]`) === null)
    .filter((element) => element.querySelector('input') === null)
    .map((element) => element.outerHTML.slice(0, 160));
  return { count: wanted.length, onlyByMouse };
}

/** Runs in the page. @returns whether the focus has returned to a visited element, and a problem with the focused one */
function noteFocus() {
  const element = document.activeElement;
  const { seen, last } = globalThis.cairnFocus;
  if (element === null || element === document.body) return { isRound: seen.size > 0, problem: null };
  // Tab goes through the parts of a date field, such as its year.
  const isRound = seen.has(element) && element !== last;
  globalThis.cairnFocus.last = element;
  seen.add(element);
  if (element.type === 'radio')
    for (const other of document.querySelectorAll(`input[type=radio][name="${element.name}"]`)) seen.add(other);
  const { top, bottom, left, right, width } = element.getBoundingClientRect();
  const isOut = bottom < 0 || right < 0 || top > window.innerHeight || left > window.innerWidth;
  const hasFocusRing = (each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  };
  const hasRing = hasFocusRing(element) || hasFocusRing(element.closest('li') ?? element); // a card has the focus ring around all of it
  // fields show the focus with their border, hidden inputs with the element that represents them
  const isField = ['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName) || width <= 1;
  const problem = isOut ? 'out of sight' : hasRing || isField ? null : 'without a ring';
  return { isRound, problem: problem === null ? null : `${problem}: ${element.outerHTML.slice(0, 160)}` };
}

/** Runs in the page. */
function findMissed() {
  const { wanted, seen } = globalThis.cairnFocus;
  return wanted
    .filter((element) => !seen.has(element) && element.isConnected)
    .map((element) => element.outerHTML.slice(0, 160));
}
