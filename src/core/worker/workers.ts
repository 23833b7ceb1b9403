import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

/** Something that works beside the requests: relays, senders, processing. */
export interface Worker {
  start(): void;
  /** Ends what is running and takes nothing new. */
  stop(): Promise<void>;
}

/**
 * All workers of the process. They start only in processes whose role has them; tests drive them by hand. They stop
 * first of all, while there is still a database to record what they did.
 */
@Injectable()
export class Workers implements BeforeApplicationShutdown {
  private readonly workers: Worker[] = [];

  add(worker: Worker): void {
    this.workers.push(worker);
  }

  start(): void {
    for (const worker of this.workers) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}
