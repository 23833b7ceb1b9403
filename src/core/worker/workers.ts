import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { WORK_KINDS, type WorkKind } from './work-kinds.js';

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
  private readonly workers: { readonly kind: WorkKind; readonly worker: Worker }[] = [];

  add(worker: Worker, kind: WorkKind = 'upkeep'): void {
    this.workers.push({ kind, worker });
  }

  start(kinds: readonly WorkKind[] = WORK_KINDS): void {
    for (const { kind, worker } of this.workers) if (kinds.includes(kind)) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map(({ worker }) => worker.stop()));
  }
}
