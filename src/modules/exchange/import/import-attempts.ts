import { Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { type OpenDatasetFiles, openDatasetFiles } from '../../../engines/annotations/formats/zip.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ImportedImages } from '../../media/index.js';
import { isInterrupted, type RequestContext, RequestFailure, type RequestResult } from '../../requests/index.js';
import { toRequestFailure } from '../exchange-requests.js';
import { CloudFiles, type ImportFile, ImportFiles } from './import-files.js';

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
    const { path, name } = file;
    let files: OpenDatasetFiles | undefined;
    try {
      await this.images.remove(await this.stored.notedData(path));
      await this.fetched.require(request);
      files = await openDatasetFiles(path, name);
      await use({ files, reserve: this.reservations(path) });
      await this.stored.remove(path);
    } catch (error) {
      // After an interruption, another attempt continues with the file.
      if (!isInterrupted(error, request)) await this.undo(request, path);
      throw toRequestFailure(error, request);
    } finally {
      files?.close();
    }
  }

  /**
   * Saves what was imported on behalf of the owner of the request, and finishes the request, in one transaction.
   * @throws RequestFailure
   */
  async save(request: RequestContext, write: (tx: Tx, actor: Actor) => Promise<RequestResult>): Promise<void> {
    await this.work.run(async (tx) => request.finish(tx, await write(tx, await this.owner(tx, request))));
  }

  private async owner(tx: Tx, { ownerId, baseUrl }: RequestContext): Promise<Actor> {
    const actor = await this.actors.load(tx, ownerId, baseUrl);
    if (actor === null) throw new RequestFailure('The account of the requester no longer exists');
    return actor;
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
    await this.stored.remove(path);
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
