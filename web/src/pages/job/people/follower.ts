import { CairnError } from 'cairn-client';

const FORBIDDEN = 403;
const NOT_FOUND = 404;
const MIN_PAUSE_MS = 1_000;
/** After the server could not be reached, or while a save has no response yet. */
const RETRY_MS = 5_000;
/** A reading of a large job takes longer than this. The pause after it grows, so that it takes a small part of the time. */
const SHORT_MS = 300;
const PAUSE_FACTOR = 10;

/** Merges what others save as soon as they have saved it. */
export class Follower {
  private wanted = 0;
  private isRunning = false;
  private isOver = false;

  /** @param catchUp merges what the server has at or after a revision. @returns false if it has to be tried again */
  constructor(private readonly catchUp: (revision: number) => Promise<boolean>) {}

  /** @param revision id of the last save that the server has */
  follow(revision: number): void {
    if (revision === this.wanted) return;
    this.wanted = revision;
    if (!this.isRunning) void this.run();
  }

  stop(): void {
    this.isOver = true;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    for (let done = 0; done !== this.wanted && !this.isOver;) {
      const next = this.wanted;
      await released();
      const start = performance.now();
      const isDone = await this.catchUp(next).catch(isRefused);
      if (isDone) done = next;
      const least = isDone ? MIN_PAUSE_MS : RETRY_MS;
      await pause(Math.max(least, PAUSE_FACTOR * (performance.now() - start - SHORT_MS)));
    }
    this.isRunning = false;
  }
}

/** Whether it is useless to try again, because the user can no longer view the job. */
const isRefused = (error: unknown): boolean =>
  error instanceof CairnError && (error.status === FORBIDDEN || error.status === NOT_FOUND);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let isPressed = false;
for (const [type, pressed] of [
  ['pointerdown', true],
  ['pointerup', false],
  ['pointercancel', false],
] as const) {
  globalThis.addEventListener(type, () => (isPressed = pressed), { capture: true });
}

/** Resolves when no pointer is pressed: an object that is being dragged must not change under the pointer. */
function released(): Promise<void> {
  if (!isPressed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      globalThis.removeEventListener('pointerup', done);
      globalThis.removeEventListener('pointercancel', done);
      setTimeout(resolve); // after the canvas has applied the gesture
    };
    globalThis.addEventListener('pointerup', done);
    globalThis.addEventListener('pointercancel', done);
  });
}
