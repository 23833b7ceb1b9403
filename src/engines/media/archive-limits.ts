import { MediaError, quoted } from './media-error.js';

/** What an archive may hold. */
export interface ArchiveLimits {
  /** Entries of every sort. */
  maxEntries: number;
  /** Bytes of all extracted files together. */
  maxBytes: number;
  /** How many times the size of the archive the extracted files may have, once they are above ratioFrom bytes. */
  maxRatio: number;
  ratioFrom: number;
}

/** Of archives of images, which are compressed already. */
export const imageArchiveLimits: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 100 * 2 ** 30,
  maxRatio: 100,
  ratioFrom: 256 * 2 ** 20,
};

/** Of archives with annotations, whose text is made much smaller. */
export const datasetArchiveLimits: ArchiveLimits = {
  maxEntries: 500_000,
  maxBytes: imageArchiveLimits.maxBytes,
  maxRatio: 1000,
  ratioFrom: 2 ** 30,
};

/** Counts what is taken out of one archive. */
export class ArchiveBudget {
  private bytes = 0;
  private entries = 0;

  /**
   * @param name how the client calls the archive, for errors
   * @param archiveBytes its own size
   */
  constructor(
    private readonly name: string,
    private readonly archiveBytes: number,
    private readonly limits: ArchiveLimits,
  ) {}

  /** Refuses an archive by the number of entries that it says it has. @throws MediaError */
  expectEntries(count: number): void {
    const { maxEntries } = this.limits;
    if (count > maxEntries) throw this.tooMuch(`more than ${maxEntries} entries`);
  }

  /** @throws MediaError */
  countEntry(): void {
    this.expectEntries(++this.entries);
  }

  /** Counts bytes before they are read. @throws MediaError */
  countBytes(bytes: number): void {
    this.bytes += bytes;
    const { maxBytes, maxRatio, ratioFrom } = this.limits;
    if (this.bytes > maxBytes) throw this.tooMuch(`more than ${maxBytes} bytes`);
    if (this.bytes > Math.max(ratioFrom, this.archiveBytes * maxRatio)) {
      throw this.tooMuch(`more than ${maxRatio} times its own size`);
    }
  }

  private tooMuch(what: string): MediaError {
    return new MediaError(`ValueError: The archive ${quoted(this.name)} holds ${what}`);
  }
}
