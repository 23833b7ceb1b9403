import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Something that works beside the requests: relays, senders, processing. */
export interface Worker {
  start(): void;
  /** Ends what is running and takes nothing new. */
  stop(): Promise<void>;
}

/** All workers of the process. They start only in processes whose role has them; tests drive them by hand. */
@Injectable()
export class Workers implements OnApplicationShutdown {
  private readonly workers: Worker[] = [];

  add(worker: Worker): void {
    this.workers.push(worker);
  }

  start(): void {
    for (const worker of this.workers) worker.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}
