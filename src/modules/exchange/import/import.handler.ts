import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import {
  type DatasetFiles,
  datasetNotFound,
  FormatError,
  type FoundLabel,
  type ImportFormat,
  requireDimension,
  shown,
} from '../../../engines/annotations/formats/format.js';
import { withoutExtension } from '../../../engines/annotations/formats/import-batch.js';
import { importFormats } from '../../../engines/annotations/formats/registry.js';
import { AnnotationService } from '../../annotations/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  type RequestResult,
  stillPermitted,
} from '../../requests/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import type { ImportMode } from '../exchange-query.js';
import { ExchangeAccess, type ImportTarget } from '../exchange-requests.js';
import { validated } from '../../../core/http/body/body.js';
import { NestedField } from '../../../core/http/body/composite-fields.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { type DatasetLabel, dimensionOf } from '../../../engines/annotations/formats/dataset.js';
import { contextPath } from '../../../engines/media/context-images.js';
import { isPointCloud, mediaKind } from '../../../shared/media-kind.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { LabelInputDto, LabelService } from '../../labels/index.js';
import { type ImportedData, type ImportedImage, ImportedImages } from '../../media/index.js';
import { TaskCreation } from '../../tasks/index.js';
import { DatasetRepository } from '../dataset/dataset.repository.js';
import type { IncomingFile } from './import-files.js';
import { type Attempt, IMPORT_TTL_MS, ImportAttempts, ImportReport } from './import-attempts.js';

export const IMPORT_ANNOTATIONS = 'import:annotations';

/** The parameters of the background request. */
export interface ImportParameters extends IncomingFile {
  readonly kind: ImportTarget['kind'];
  readonly id: number;
  readonly format: string;
  /** Absent in requests queued by older servers, as is `mode`. */
  readonly masksToPolygons?: boolean;
  readonly mode?: ImportMode;
  readonly dryRun?: boolean;
  readonly skipUnmatched?: boolean;
}

/** Imports the annotations of a file into a task or job, in one transaction. */
@Injectable()
@HandlesRequests(IMPORT_ANNOTATIONS)
export class ImportHandler implements RequestHandler {
  readonly successTtlMs = IMPORT_TTL_MS.success;
  readonly failureTtlMs = IMPORT_TTL_MS.failure;

  constructor(
    private readonly access: ExchangeAccess,
    private readonly loader: DatasetLoader,
    private readonly annotations: AnnotationService,
    private readonly attempts: ImportAttempts,
  ) {}

  run(request: RequestContext): Promise<RequestResult> {
    const parameters = request.parameters as ImportParameters;
    const report = new ImportReport(parameters);
    return this.attempts.runWithReport(request, parameters, report, async ({ files }) => {
      const format = importFormats.find(parameters.format);
      if (format === undefined) throw new RequestFailure(`The format ${parameters.format} is no longer available`);
      await this.save(request, format, files, report);
    });
  }

  private async save(
    request: RequestContext,
    format: ImportFormat,
    files: DatasetFiles,
    report: ImportReport,
  ): Promise<void> {
    const parameters = request.parameters as ImportParameters & { readonly kind: 'task' | 'job' };
    const { kind, id, masksToPolygons = false, mode = 'replace' } = parameters;
    await this.attempts.save(request, async (tx, actor) => {
      await stillPermitted(() => this.access.requireImport(actor, { kind, id }, tx));
      const { dataset } = await this.loader.load(tx, { kind, id }, request.baseUrl, 'all');
      const [task] = dataset.tasks;
      if (task === undefined)
        throw new RequestFailure('There is no data yet. Add images or a video to the task first.');
      requireDimension(format.info, dimensionOf(dataset));
      request.setMessage('Reading annotations');
      report.begin(dataset.labels);
      const { notes } = report;
      const target = { labels: dataset.labels, frames: task.frames, mode: task.mode, masksToPolygons, notes };
      const batches = report.counted(format.read(files, target), request.signal);
      await this.annotations.importAll(tx, actor, { kind, id }, batches, mode);
      return { report: report.toDto() };
    });
  }
}

export const IMPORT_DATASET = 'import:dataset';

/** Limit for the name of a subset. */
const MAX_SUBSET = 64;
const NO_SUBSET = 'default';

/** A task to create. */
interface Part {
  readonly subset: string;
  readonly data: ImportedData;
}

interface DatasetImport {
  readonly format: ImportFormat;
  readonly files: DatasetFiles;
  readonly report: ImportReport;
}

/**
 * Creates a task for each subset of a dataset, with annotations, in one transaction. Images are stored before it begins.
 */
@Injectable()
@HandlesRequests(IMPORT_DATASET)
export class DatasetImportHandler implements RequestHandler {
  readonly successTtlMs = IMPORT_TTL_MS.success;
  readonly failureTtlMs = IMPORT_TTL_MS.failure;

  constructor(
    private readonly access: ExchangeAccess,
    private readonly loader: DatasetLoader,
    private readonly datasets: DatasetRepository,
    private readonly projectLabels: LabelService,
    private readonly tasks: TaskCreation,
    private readonly images: ImportedImages,
    private readonly annotations: AnnotationService,
    private readonly attempts: ImportAttempts,
  ) {}

  run(request: RequestContext): Promise<RequestResult> {
    const parameters = request.parameters as ImportParameters;
    const report = new ImportReport(parameters);
    return this.attempts.runWithReport(request, parameters, report, async (attempt) => {
      const format = importFormats.find(parameters.format);
      if (format === undefined) throw new RequestFailure(`The format ${parameters.format} is no longer available`);
      const parts = await this.prepare(request, format, attempt);
      await this.save(request, { format, files: attempt.files, report }, parts);
    });
  }

  private async prepare(request: RequestContext, format: ImportFormat, { files, reserve }: Attempt): Promise<Part[]> {
    request.setMessage('Images are being extracted');
    const subsets = await imagesBySubset(format, files);
    const parts: Part[] = [];
    for (const [subset, images] of subsets) {
      const data = await this.images.prepare(await reserve(), images, {
        signal: request.signal,
        onProgress: (done) => request.setProgress((parts.length + done) / subsets.size),
      });
      parts.push({ subset, data });
    }
    return parts;
  }

  private async save(
    request: RequestContext,
    { format, files, report }: DatasetImport,
    parts: readonly Part[],
  ): Promise<void> {
    const { id: projectId, masksToPolygons = false } = request.parameters as ImportParameters;
    request.setMessage('Reading annotations');
    await this.attempts.save(request, async (tx, actor) => {
      const scope = await this.datasets.findScope(tx, { kind: 'project', id: projectId });
      if (scope === undefined) throw new RequestFailure('The project was deleted');
      await stillPermitted(() => this.access.requireImport(actor, { kind: 'project', id: projectId }, tx));
      const labels = await this.labels(tx, actor, projectId, { format, files });
      report.begin(labels);
      const { notes } = report;
      for (const { subset, data } of parts) {
        const values = { name: subset, project_id: projectId, subset: subset === NO_SUBSET ? '' : subset };
        const task = await this.tasks.add(tx, actor, values, scope.organization_id);
        await this.images.save(tx, actor, task.id, data);
        const frames = data.images.map(({ path: name, width, height }, frame) => ({
          frame,
          number: frame,
          name,
          width,
          height,
        }));
        const target = { labels, frames, mode: 'annotation', masksToPolygons, subset, notes } as const;
        const batches = report.counted(format.read(files, target), request.signal);
        await this.annotations.importAll(tx, actor, { kind: 'task', id: task.id }, batches);
        report.tasks++;
      }
      return { report: report.toDto() };
    });
  }

  /** The labels of the project. If it has none, the labels of the dataset become the project's. */
  private async labels(
    tx: Tx,
    actor: Actor,
    projectId: number,
    { format, files }: { readonly format: ImportFormat; readonly files: DatasetFiles },
  ): Promise<DatasetLabel[]> {
    const owner = { kind: 'project', id: projectId } as const;
    const labels = await this.loader.labelsOf(tx, owner);
    if (labels.length > 0) return labels;
    const found = requireValid((await format.labels?.(files)) ?? []);
    if (found.length === 0) {
      throw new FormatError(
        'The project has no labels, and the dataset does not define any. Add labels to the project first.',
      );
    }
    await this.projectLabels.add(tx, actor, owner, found);
    return this.loader.labelsOf(tx, owner);
  }
}

/** The labels of a dataset, each as in the body of a new project. */
class FoundLabelsDto {
  @NestedField(() => LabelInputDto, { list: true }) labels!: LabelInputDto[];
}

/** @throws FormatError for labels that no project can have */
function requireValid(labels: readonly FoundLabel[]): LabelInputDto[] {
  try {
    return validated(FoundLabelsDto, { labels }).labels;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new FormatError(`The labels of the dataset: ${JSON.stringify(error.body).slice(0, 500)}`, { cause: error });
  }
}

/** The images of an archive by subset, in its order. @throws FormatError */
async function imagesBySubset(format: ImportFormat, files: DatasetFiles): Promise<Map<string, ImportedImage[]>> {
  const listed = await format.subsets?.(files);
  const subsets = new Map<string, Map<string, ImportedImage>>();
  const context: ContextImage[] = [];
  for (const path of files.paths) {
    const image = mediaKind(path) === 'image' ? format.imageAt(path) : undefined;
    if (image === undefined) continue;
    const { name } = image;
    const subset = listed?.get(withoutExtension(name)) ?? image.subset;
    if (subset.length > MAX_SUBSET) {
      throw new FormatError(`The name of the subset ${shown(subset)} is longer than ${MAX_SUBSET} characters.`);
    }
    const images = subsets.get(subset) ?? new Map<string, ImportedImage>();
    subsets.set(subset, images);
    if (image.contextOf === undefined) {
      if (isPointCloud(path) !== (format.info.dimension === '3d')) continue;
      addImage(images, subset, { name, read: () => files.read(path) });
    } else context.push({ images, subset, of: image.contextOf, name, read: () => files.read(path) });
  }
  addContextImages(context);
  for (const [subset, images] of subsets) if (images.size === 0) subsets.delete(subset);
  if (subsets.size === 0) throw datasetNotFound('The archive holds no images from which tasks could be created.');
  return new Map([...subsets].map(([subset, images]) => [subset, [...images.values()]]));
}

function addImage(images: Map<string, ImportedImage>, subset: string, image: ImportedImage): void {
  const { name } = image;
  if (images.has(name)) throw new FormatError(`The subset ${shown(subset)} contains the image ${shown(name)} twice.`);
  images.set(name, image);
}

interface ContextImage extends ImportedImage {
  /** Those of the subset. */
  readonly images: Map<string, ImportedImage>;
  readonly subset: string;
  /** The name of the frame without extension. */
  readonly of: string;
}

/** Puts context images where tasks have them. Those of no frame are left out. */
function addContextImages(context: readonly ContextImage[]): void {
  const known = new Map<Map<string, ImportedImage>, Map<string, string>>();
  for (const { images, subset, of, name, read } of context) {
    const frames = known.get(images) ?? new Map([...images.keys()].map((frame) => [withoutExtension(frame), frame]));
    known.set(images, frames);
    const frame = frames.get(of);
    if (frame !== undefined) addImage(images, subset, { name: contextPath(frame, name), read });
  }
}
