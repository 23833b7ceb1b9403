/** After the beginning of the page: by then it is shown, and can be worked with. */
const LATER_MS = 3_000;

/** Loads what a page is shown without, but what should be there when the server no longer is. */
export function loadLater(load: () => Promise<unknown>): void {
  // Whoever needs it before, or after a failure, loads it again and hears of it.
  setTimeout(() => void load().catch(() => undefined), Math.max(0, LATER_MS - performance.now()));
}
