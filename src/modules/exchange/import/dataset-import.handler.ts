import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { FormatError, shown } from '../../../engines/annotations/formats/format-error.js';
import { type OpenDatasetFiles, openDatasetFiles } from '../../../engines/annotations/formats/dataset-files.js';
import type { DatasetFiles, ImportFormat } from '../../../engines/annotations/formats/format.js';
import { importFormat } from '../../../engines/annotations/formats/registry.js';
import { mediaKind } from '../../../engines/media/media-kind.js';
import { AnnotationService } from '../../annotations/index.js';
import { type ImportedData, type ImportedImage, ImportedImages } from '../../media/index.js';
import {
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  RequestHandlers,
  RequestInterrupted,
} from '../../requests/index.js';
import { TaskCreation } from '../../tasks/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import { DatasetRepository } from '../dataset/dataset.repository.js';
import { told } from '../told.js';
import { FetchedFiles } from './fetched-files.js';
import { ImportFiles } from './import-files.js';
import { IMPORT_TTL_MS, type ImportParameters, stoppable } from './import.handler.js';

export const IMPORT_DATASET = 'import:dataset';

/** Of a task's subset. */
const MAX_SUBSET = 64;
const NO_SUBSET = 'default';

/** A task to be. */
interface Part {
  readonly subset: string;
  readonly data: ImportedData;
}

/**
 * Makes tasks of a dataset in a project, one for each subset: all of them with their annotations in one commit, or none.
 * The images are brought to their place before. Which data they are is noted beside the file, so that an attempt that
 * follows a crash removes what the one before it has left.
 */
@Injectable()
export class DatasetImportHandler implements RequestHandler, OnModuleInit {
  readonly successTtlMs = IMPORT_TTL_MS;
  readonly failureTtlMs = IMPORT_TTL_MS;

  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(Actors) private readonly actors: Actors,
    @Inject(DatasetLoader) private readonly loader: DatasetLoader,
    @Inject(DatasetRepository) private readonly datasets: DatasetRepository,
    @Inject(TaskCreation) private readonly tasks: TaskCreation,
    @Inject(ImportedImages) private readonly images: ImportedImages,
    @Inject(AnnotationService) private readonly annotations: AnnotationService,
    @Inject(ImportFiles) private readonly files: ImportFiles,
    @Inject(FetchedFiles) private readonly fetched: FetchedFiles,
    @Inject(RequestHandlers) private readonly handlers: RequestHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(IMPORT_DATASET, this);
  }

  async run(request: RequestContext): Promise<void> {
    const { format: name, path, name: fileName } = request.parameters as ImportParameters;
    let files: OpenDatasetFiles | undefined;
    try {
      await this.images.remove(await this.files.notedData(path));
      const format = importFormat(name);
      if (format === undefined) throw new RequestFailure(`The format ${name} is not known any more`);
      await this.fetched.require(request);
      files = await openDatasetFiles(path, fileName);
      const parts = await this.prepare(request, format, files);
      await this.save(request, format, files, parts);
      await this.files.remove(path);
    } catch (error) {
      if (!request.signal.aborted && !(error instanceof RequestInterrupted)) await this.undo(request, path);
      throw told(error, request);
    } finally {
      files?.close();
    }
  }

  /** Nothing is removed when the request has ended, for then the images are those of tasks. */
  private async undo(request: RequestContext, path: string): Promise<void> {
    await this.work.run((tx) => request.hold(tx));
    await this.images.remove(await this.files.notedData(path));
    await this.files.remove(path);
  }

  private async prepare(request: RequestContext, format: ImportFormat, files: DatasetFiles): Promise<Part[]> {
    const { path } = request.parameters as ImportParameters;
    request.say('Images are being extracted');
    const subsets = imagesBySubset(format, files);
    const parts: Part[] = [];
    const dataIds: number[] = [];
    for (const [subset, images] of subsets) {
      const dataId = await this.images.reserve();
      dataIds.push(dataId);
      await this.files.noteData(path, dataIds);
      const data = await this.images.prepare(dataId, images, {
        signal: request.signal,
        onProgress: (done) => request.progress((parts.length + done) / subsets.size),
      });
      parts.push({ subset, data });
    }
    return parts;
  }

  private async save(
    request: RequestContext,
    format: ImportFormat,
    files: DatasetFiles,
    parts: readonly Part[],
  ): Promise<void> {
    const { id: projectId, masksToPolygons = false } = request.parameters as ImportParameters;
    request.say('Reading annotations');
    await this.work.run(async (tx: Tx) => {
      const actor = request.ownerId === null ? null : await this.actors.load(tx, request.ownerId, request.baseUrl);
      if (actor === null) throw new RequestFailure('The account of the one who asked is gone');
      const place = await this.datasets.place(tx, { kind: 'project', id: projectId });
      if (place === undefined) throw new RequestFailure('The project was deleted');
      const labels = await this.loader.labelsOf(tx, { kind: 'project', id: projectId });
      for (const { subset, data } of parts) {
        const values = { name: subset, project_id: projectId, subset: subset === NO_SUBSET ? '' : subset };
        const task = await this.tasks.add(tx, actor, values, place.organization_id);
        await this.images.save(tx, actor, task.id, data);
        const frames = data.images.map(({ path: name, width, height }, frame) => ({
          frame,
          number: frame,
          name,
          width,
          height,
        }));
        const pieces = format.read(files, { labels, frames, mode: 'annotation', masksToPolygons, subset });
        await this.annotations.importAll(tx, actor, { kind: 'task', id: task.id }, stoppable(pieces, request.signal));
      }
      await request.finish(tx);
    });
  }
}

/** The images of an archive by subset, in its order. @throws FormatError */
function imagesBySubset(format: ImportFormat, files: DatasetFiles): Map<string, ImportedImage[]> {
  const subsets = new Map<string, Map<string, ImportedImage>>();
  for (const path of files.paths) {
    const image = mediaKind(path) === 'image' ? format.imageAt(path) : undefined;
    if (image === undefined) continue;
    const { name, subset } = image;
    if (subset.length > MAX_SUBSET) {
      throw new FormatError(`The name of the subset ${shown(subset)} is longer than ${MAX_SUBSET} characters.`);
    }
    const images = subsets.get(subset) ?? new Map<string, ImportedImage>();
    if (images.has(name)) throw new FormatError(`Image ${shown(name)} is twice in the subset ${shown(subset)}.`);
    images.set(name, { name, read: () => files.read(path) });
    subsets.set(subset, images);
  }
  if (subsets.size === 0)
    throw new FormatError('The archive holds no images, and the tasks of a project are made of them.');
  return new Map([...subsets].map(([subset, images]) => [subset, [...images.values()]]));
}
