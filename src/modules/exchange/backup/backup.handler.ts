import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Db, readLongSnapshot, type Snapshot } from '../../../core/database/db.js';
import { backupText, type JobBatches } from '../../../engines/annotations/formats/backup-annotations.js';
import { LabelNames } from '../../../engines/annotations/formats/label-names.js';
import type { ZipSink } from '../../../engines/annotations/formats/zip.js';
import { fromRows } from '../../../engines/annotations/from-rows.js';
import { writeImageManifest } from '../../../engines/media/manifest.js';
import { AnnotationSource, shapesOf } from '../../annotations/index.js';
import { GuideBackup } from '../../guides/index.js';
import { MediaFiles } from '../../media/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  type RequestResult,
} from '../../requests/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import { ExportedArchives, type OutgoingFile, progressWhenWritten } from '../exchange-files.js';
import { ExchangeAccess } from '../exchange-requests.js';
import { BackupManifests } from './backup-manifest.js';
import type { BackupFrameRow, BackupTaskRow } from './backup.repository.js';

export const EXPORT_BACKUP = 'export:backup';

/** The parameters of the background request. */
export interface BackupParameters extends OutgoingFile {
  readonly kind: 'project' | 'task';
  readonly id: number;
}

const DAY_MS = 86_400_000;
/** Media to copy after the database has been read. */
interface Copied {
  readonly prefix: string;
  readonly task: BackupTaskRow;
  readonly frames: readonly BackupFrameRow[];
}

/** Writes a project or task with everything that belongs to it to an archive, from one snapshot. */
@Injectable()
@HandlesRequests(EXPORT_BACKUP)
export class BackupHandler implements RequestHandler {
  readonly successTtlMs = DAY_MS;
  readonly failureTtlMs = DAY_MS;

  constructor(
    private readonly db: Db,
    private readonly access: ExchangeAccess,
    private readonly archives: ExportedArchives,
    private readonly manifests: BackupManifests,
    private readonly loader: DatasetLoader,
    private readonly source: AnnotationSource,
    private readonly guides: GuideBackup,
    private readonly media: MediaFiles,
  ) {}

  async run(request: RequestContext): Promise<RequestResult> {
    request.signal.throwIfAborted();
    const { kind, id } = request.parameters as BackupParameters;
    return this.archives.write(request, async (sink, scratch) => {
      await this.access.requireExportOfOwner(request, { kind, id });
      const copied = await readLongSnapshot(this.db, (snapshot) =>
        kind === 'project' ? this.project(snapshot, request, id, sink) : this.onlyTask(snapshot, request, id, sink),
      );
      await this.copy(request, copied, sink, scratch);
    });
  }

  private async project(snapshot: Snapshot, request: RequestContext, id: number, sink: ZipSink): Promise<Copied[]> {
    const project = await this.manifests.project(snapshot, id);
    if (project === undefined) throw new RequestFailure('The project was deleted');
    await sink.addFile('project.json', json(project.manifest));
    await this.guide(snapshot, { kind: 'project', id }, '', sink);
    const copied: Copied[] = [];
    for (const [index, taskId] of project.taskIds.entries()) {
      copied.push(await this.task(snapshot, request, taskId, `task_${index}/`, sink));
    }
    return copied;
  }

  private async onlyTask(snapshot: Snapshot, request: RequestContext, id: number, sink: ZipSink): Promise<Copied[]> {
    return [await this.task(snapshot, request, id, '', sink)];
  }

  private async task(
    snapshot: Snapshot,
    request: RequestContext,
    id: number,
    prefix: string,
    sink: ZipSink,
  ): Promise<Copied> {
    request.signal.throwIfAborted();
    const found = await this.manifests.task(snapshot, id);
    if (found === undefined) throw new RequestFailure('The task was deleted, or has no data');
    const { task, jobs, frames, labelOwner, manifest } = found;
    await sink.addFile(`${prefix}task.json`, json(manifest));
    request.setMessage('Writing annotations');
    const names = new LabelNames(await this.loader.labelsOf(snapshot, labelOwner));
    const textOf = (ids: readonly { readonly id: number }[]): AsyncGenerator<string> =>
      backupText(
        ids.map((job) => this.annotations(snapshot, job.id, request.signal)),
        names,
        task.size,
      );
    await sink.addFile(`${prefix}annotations.json`, textOf(jobs));
    // In a separate file, because CVAT has no replicas and treats each entry of the other file as a segment.
    const replicas = jobs.flatMap((job) => job.replicas);
    if (replicas.length > 0) await sink.addFile(`${prefix}replica_annotations.json`, textOf(replicas));
    await this.guide(snapshot, { kind: 'task', id }, prefix, sink);
    return { prefix, task, frames };
  }

  private async *annotations(snapshot: Snapshot, id: number, signal: AbortSignal): JobBatches {
    const jobs = [{ id }];
    for await (const tags of this.source.tags(snapshot, jobs)) {
      signal.throwIfAborted();
      yield { tags: fromRows({ tags }).tags };
    }
    for await (const batch of this.source.shapes(snapshot, jobs)) {
      signal.throwIfAborted();
      yield { shapes: shapesOf(batch) };
    }
    for await (const { tracks } of this.source.tracks(snapshot, jobs)) {
      signal.throwIfAborted();
      yield { tracks };
    }
    for await (const intervals of this.source.intervals(snapshot, jobs)) {
      signal.throwIfAborted();
      yield { intervals: fromRows({ intervals }).intervals };
    }
  }

  private async guide(
    snapshot: Snapshot,
    target: { readonly kind: 'project' | 'task'; readonly id: number },
    prefix: string,
    sink: ZipSink,
  ): Promise<void> {
    const guide = await this.guides.read(snapshot, target);
    if (guide === undefined) return;
    await sink.addFile(`${prefix}annotation_guide.md`, Buffer.from(guide.markdown));
    for (const { uuid, filename, content } of guide.assets) {
      await sink.addFile(`${prefix}assets/${uuid}/${filename.replaceAll(/[/\\]|^\.+$/g, '_')}`, content);
    }
  }

  /** @param scratch path of a temporary file */
  private async copy(request: RequestContext, all: readonly Copied[], sink: ZipSink, scratch: string): Promise<void> {
    request.setMessage('Copying media');
    const count = all.reduce((sum, { frames }) => sum + frames.length, 0);
    const whole = progressWhenWritten(request.parameters as BackupParameters);
    let done = 0;
    for (const { prefix, task, frames } of all) {
      const stored = { dataId: task.data_id, storage: task.storage, cloudStorageId: task.cloud_storage_id };
      const copied = new Set<string>();
      for (const frame of frames) {
        for (const path of [frame.path, ...frame.related_files]) {
          request.signal.throwIfAborted();
          if (copied.has(path)) continue;
          copied.add(path);
          const content = await this.media.stream(stored, path);
          await sink.addFile(`${prefix}data/${path}`, content);
        }
        request.setProgress((whole * ++done) / count);
      }
      if (task.mode === 'interpolation') continue;
      try {
        const images = frames.map(({ path, width, height, related_files: related }) => ({
          path,
          width,
          height,
          related,
        }));
        await writeImageManifest(scratch, images);
        await sink.addFile(`${prefix}data/manifest.jsonl`, createReadStream(scratch) as AsyncIterable<Buffer>);
      } finally {
        await rm(scratch, { force: true });
      }
    }
  }
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
