const MIN_PAUSE_MS = 1_000;
/** A reading of a large job takes longer than this. The pause after it grows, so that it takes a small part of the time. */
const SHORT_MS = 300;
const PAUSE_FACTOR = 10;

/** Merges what others save as soon as they have saved it. */
export class Follower {
  private wanted = 0;
  private isRunning = false;
  private isOver = false;

  /** @param catchUp merges what the server has at or after a revision */
  constructor(private readonly catchUp: (revision: number) => Promise<void>) {}

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
      done = this.wanted;
      await released();
      const start = performance.now();
      await this.catchUp(done).catch(() => undefined); // the next save merges
      await pause(Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (performance.now() - start - SHORT_MS)));
    }
    this.isRunning = false;
  }
}

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
