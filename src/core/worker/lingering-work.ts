import { Injectable } from '@nestjs/common';

/** Work that goes on after the request that has caused it, such as the chunks of a new video. */
@Injectable()
export class LingeringWork {
  private running = 0;

  /** Whether this process should not be ended yet. */
  get goesOn(): boolean {
    return this.running > 0;
  }

  /** @param work never rejects */
  add(work: Promise<void>): void {
    this.running += 1;
    void work.finally(() => (this.running -= 1));
  }
}
