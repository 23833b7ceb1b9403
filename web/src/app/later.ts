/** Time after the start of the page by which it is shown and usable. */
const LATER_MS = 3_000;

/** Loads code that is not needed at first, but must be available if the server cannot be reached later. */
export function loadLater(load: () => Promise<unknown>): void {
  // Code that needs it earlier, or after an error, loads it again and handles errors.
  setTimeout(() => void load().catch(() => undefined), Math.max(0, LATER_MS - performance.now()));
}
