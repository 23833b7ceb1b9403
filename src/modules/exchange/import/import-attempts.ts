import { Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { type OpenDatasetFiles, openDatasetFiles } from '../../../engines/annotations/formats/zip.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ImportedImages } from '../../media/index.js';
import {
  isInterrupted,
  loadOwner,
  type RequestContext,
  RequestFailure,
  type RequestResult,
} from '../../requests/index.js';
import { toExchangeFailure } from '../exchange-requests.js';
import { CloudFiles, type ImportFile, ImportFiles } from './import-files.js';
import type { ImportReport } from './import-report.js';

/** How long a request is kept after it has ended: failures longer, until somebody has read the reason. */
export const IMPORT_TTL_MS = { success: 3_600_000, failure: 30 * 86_400_000 } as const;

/** What an attempt reads, and where it stores media. */
export interface Attempt {
  readonly files: OpenDatasetFiles;
  /** @returns the id of new data, whose media are removed if the attempt fails, or by the one that follows a crash */
  readonly reserve: () => Promise<number>;
}

/** Runs attempts to import a file. A failed attempt is undone, and the last attempt removes the file. */
@Injectable()
export class ImportAttempts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly actors: Actors,
    private readonly images: ImportedImages,
    private readonly stored: ImportFiles,
    private readonly fetched: CloudFiles,
  ) {}

  /** @throws RequestFailure, RequestInterrupted */
  async run(request: RequestContext, file: ImportFile, use: (attempt: Attempt) => Promise<void>): Promise<void> {
    const { path } = file;
    try {
      request.signal.throwIfAborted();
      await this.images.remove(await this.stored.notedData(path));
      const fetch = (to: string): Promise<boolean> => this.fetched.fetch(request, to);
      await this.stored.read(request, path, fetch, (local) => this.use(local, file, use));
      if (isDryRun(request)) await this.images.remove(await this.stored.notedData(path));
      await (isDryRun(request) ? this.stored.removeUnlessResumable(path) : this.stored.remove(path));
    } catch (error) {
      // After an interruption, another attempt continues with the file.
      if (!isInterrupted(error, request)) await this.undo(request, path);
      throw toExchangeFailure(error, request);
    }
  }

  private async use(
    local: string,
    { path, name }: ImportFile,
    use: (attempt: Attempt) => Promise<void>,
  ): Promise<void> {
    const files = await openDatasetFiles(local, name);
    try {
      await use({ files, reserve: this.reservations(path) });
    } finally {
      files.close();
    }
  }

  /**
   * Saves what was imported on behalf of the owner of the request, and finishes the request, in one transaction. A dry
   * run does the same and rolls it back, so that its report is exact.
   * @throws RequestFailure
   */
  async save(request: RequestContext, write: (tx: Tx, actor: Actor) => Promise<RequestResult>): Promise<void> {
    try {
      await this.work.run(async (tx) => {
        const result = await write(tx, await loadOwner(this.actors, tx, request));
        if (isDryRun(request)) throw new RolledBack();
        await request.finish(tx, result);
      });
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
    }
  }

  /**
   * Runs an attempt, and reports what it imported or would import.
   * @throws RequestFailure, except in a dry run, whose report has the reason
   */
  async runWithReport(
    request: RequestContext,
    file: ImportFile,
    report: ImportReport,
    use: (attempt: Attempt) => Promise<void>,
  ): Promise<RequestResult> {
    try {
      await this.run(request, file, use);
    } catch (error) {
      if (!isDryRun(request) || !(error instanceof RequestFailure)) throw error;
      return { report: report.toDto(error.message) };
    }
    return report.result();
  }

  /** The ids of reserved data are written next to the file first, so that a crash leaves no unknown media. */
  private reservations(path: string): Attempt['reserve'] {
    const dataIds: number[] = [];
    return async () => {
      const dataId = await this.images.reserve();
      dataIds.push(dataId);
      await this.stored.noteData(path, dataIds);
      return dataId;
    };
  }

  /** `hold` throws if the request has ended: then the media belong to tasks. */
  private async undo(request: RequestContext, path: string): Promise<void> {
    await this.work.run((tx) => request.hold(tx));
    await this.images.remove(await this.stored.notedData(path));
    await (mayFollow(request) ? this.stored.removeUnlessResumable(path) : this.stored.remove(path));
  }
}

/** @returns the same batches, until the signal aborts */
export async function* stoppable(
  batches: AsyncIterable<LabeledData>,
  signal: AbortSignal,
): AsyncGenerator<LabeledData> {
  for await (const batch of batches) {
    signal.throwIfAborted();
    yield batch;
  }
}

const isDryRun = ({ parameters }: RequestContext): boolean => (parameters as { dryRun?: boolean }).dryRun === true;

/** Whether another import may follow a failure, for which a resumable upload need not be sent again. */
const mayFollow = (request: RequestContext): boolean =>
  isDryRun(request) || (request.parameters as { onlyComplete?: boolean }).onlyComplete === true;

/** Rolls back the transaction of a dry run. */
class RolledBack extends Error {
  override name = 'RolledBack';
}
