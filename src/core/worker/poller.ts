import type { Logger } from '../logging/logger.js';
import type { Worker } from './workers.js';

const MAX_BACKOFF_MS = 5_000;

/**
 * Calls `step` repeatedly: immediately while there is more to do or after `wake`, else after the interval. An error
 * (the database may be down) is logged once per series and retried with increasing pauses.
 */
export class Poller implements Worker {
  private running = false;
  private awake = false;
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;
  private ring: (() => void) | undefined;
  private loop: Promise<void> = Promise.resolve();

  /**
   * @param intervalMs called before each pause if it varies
   * @param step returns whether there is probably more to do now
   */
  constructor(
    private readonly name: string,
    private readonly intervalMs: number | (() => number),
    private readonly step: () => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.loop = this.run();
  }

  /** Runs the next step without waiting for the interval. */
  wake(): void {
    this.awake = true;
    this.ring?.();
  }

  /** Stops after the current step. */
  async stop(): Promise<void> {
    this.running = false;
    this.ring?.();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (this.running) {
      this.awake = false;
      const more = await this.attempt();
      if (!more && !this.awake && this.running) await this.pause();
    }
  }

  private async attempt(): Promise<boolean> {
    try {
      const more = await this.step();
      if (this.failures > 0) this.log.info({ worker: this.name }, 'works again');
      this.failures = 0;
      return more;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) this.log.warn({ err: error, worker: this.name }, 'failed; trying again');
      this.awake = false;
      return false;
    }
  }

  private pause(): Promise<void> {
    const interval = typeof this.intervalMs === 'number' ? this.intervalMs : this.intervalMs();
    const wait = this.failures === 0 ? interval : Math.min(interval * 2 ** this.failures, MAX_BACKOFF_MS);
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(this.timer);
        this.ring = undefined;
        resolve();
      };
      this.timer = setTimeout(done, wait);
      this.ring = done;
    });
  }
}
