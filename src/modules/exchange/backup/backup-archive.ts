import { type OpenDatasetFiles } from '../../../engines/annotations/formats/zip.js';
import { FormatError, refuse } from '../../../engines/annotations/formats/format.js';
import type { ImportNotes } from '../../../engines/annotations/formats/import-notes.js';
import { relatedPaths } from '../../../engines/annotations/formats/unrelated-files.js';
import { readSmallText } from '../../../engines/annotations/formats/text-pieces.js';
import { ExcessiveJson, parseLargeJson } from '../../../engines/json/large-json.js';
import { type FrameSelection, relativeFrame } from '../../../engines/media/frames.js';
import { validated } from '../../../core/http/body/body.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { type GuideAsset, type GuideContent, MAX_ASSET_MEGABYTES, MAX_ASSETS } from '../../guides/index.js';
import type { ImportedImage, RestoredMedia, RestoredTask } from '../../media/index.js';
import { type BackupDataDto, type BackupJobDto, BackupProjectDto, BackupTaskDto } from './backup.dto.js';
import { gatherReplicas, isAnnotationJob, type ListedJob, progressOf } from './listed-replicas.js';
import { greatest } from '../../../shared/extremes.js';

/** Limit for `task.json`, `project.json` and guides, in characters. */
const MAX_TEXT = 64 * 2 ** 20;
const MAX_GUIDE = 1_000_000;
/** As in the body of a new task: labels, their attributes, and the labels and attributes of the points of skeletons. */
const MAX_LABELS = 5_000;
const ASSET = /^assets\/(?:.*\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([^/]+)$/i;

/** One task within a backup. */
export interface TaskPart {
  /** Its folder, with a trailing `/`; empty for the root of the archive. */
  readonly prefix: string;
  readonly task: BackupTaskDto;
  /** The jobs in the order of the annotations. */
  readonly listed: readonly ListedJob[];
}

/** A list with one entry of annotations per job. */
export interface AnnotationsFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Files of a project or task in a backup, below its folder. */
const PARTS = /^(?:(?:project|task|annotations|replica_annotations)\.json|annotation_guide\.md|(?:assets|data)\/[^]+)$/;
/** What CVAT adds about the folder of a task. */
const TASK_FOLDER = /^task\/[^]+$/;

/** The contents of a backup, validated except for media and annotations. */
export class BackupArchive {
  constructor(private readonly files: OpenDatasetFiles) {}

  /** @throws FormatError */
  async project(): Promise<BackupProjectDto> {
    return this.manifest('project.json', BackupProjectDto);
  }

  /** @throws FormatError */
  async task(prefix = ''): Promise<TaskPart> {
    const task = await this.manifest(`${prefix}task.json`, BackupTaskDto);
    const gathered = gatherReplicas(`${prefix}task.json`, task);
    requireJobs(`${prefix}task.json`, gathered.task);
    return { prefix, ...gathered };
  }

  /** Sorted by task number. @throws FormatError if one is incomplete */
  async tasks(): Promise<TaskPart[]> {
    const numbers = new Set(
      relatedPaths(this.files.paths).flatMap((path) => /^task_(\d{1,9})\//.exec(path)?.[1] ?? []),
    );
    const parts: TaskPart[] = [];
    for (const number of [...numbers].toSorted((a, b) => Number(a) - Number(b)))
      parts.push(await this.task(`task_${number}/`));
    return parts;
  }

  /** Reports the files that belong to no part of the backup. */
  noteOthers(parts: readonly TaskPart[], notes: ImportNotes): void {
    const prefixes = ['', ...parts.map(({ prefix }) => prefix)];
    const related = new Set(relatedPaths(this.files.paths));
    const isIn = (path: string, pattern: RegExp): boolean =>
      prefixes.some((prefix) => path.startsWith(prefix) && pattern.test(path.slice(prefix.length)));
    for (const path of this.files.paths) {
      const isIgnored = related.has(path) && !isIn(path, TASK_FOLDER);
      const use = isIn(path, PARTS) ? 'read' : isIgnored ? 'ignored' : 'irrelevant';
      notes.files[use]++;
      if (use === 'ignored') notes.ignore(path, 'not a file of a backup');
    }
  }

  /** The media of a task, including the manifest. */
  media({ prefix }: TaskPart): ImportedImage[] {
    const folder = `${prefix}data/`;
    return this.files.paths
      .filter((path) => path.startsWith(folder) && path !== `${folder}index.json`)
      .map((path) => ({ name: path.slice(folder.length), read: () => this.files.read(path) }));
  }

  annotations({ prefix }: TaskPart): AnnotationsFile {
    const name = `${prefix}annotations.json`;
    if (!this.files.paths.includes(name)) throw new FormatError(`The backup contains no file ${name}.`);
    return { name, bytes: this.files.read(name) };
  }

  /** The annotations of replicas; backups of CVAT have none. */
  replicaAnnotations({ prefix }: TaskPart): AnnotationsFile | undefined {
    const name = `${prefix}replica_annotations.json`;
    return this.files.paths.includes(name) ? { name, bytes: this.files.read(name) } : undefined;
  }

  /** @param prefix of the task; empty for the project @throws FormatError */
  async guide(prefix: string): Promise<GuideContent | undefined> {
    const path = `${prefix}annotation_guide.md`;
    if (!this.files.paths.includes(path)) return undefined;
    const markdown = await readSmallText(this.files.read(path), path, MAX_GUIDE);
    const assets: GuideAsset[] = [];
    for (const file of this.files.paths) {
      const [, uuid, filename] = (file.startsWith(prefix) && ASSET.exec(file.slice(prefix.length))) || [];
      if (uuid === undefined || filename === undefined) continue;
      if (assets.length === MAX_ASSETS) refuse(file, `a guide can have ${MAX_ASSETS} assets at most`);
      assets.push({ uuid: uuid.toLowerCase(), filename, content: await this.small(file) });
    }
    return { markdown, assets };
  }

  private async small(path: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.files.read(path)) {
      length += piece.length;
      if (length > MAX_ASSET_MEGABYTES * 2 ** 20) refuse(path, `the file is larger than ${MAX_ASSET_MEGABYTES} MB`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  private async manifest<T extends object>(path: string, type: new () => T): Promise<T> {
    if (!this.files.paths.includes(path))
      throw new FormatError(`This is not a backup of the expected type: it contains no file ${path}.`);
    const text = await readSmallText(this.files.read(path), path, MAX_TEXT);
    let value: unknown;
    try {
      value = await parseLargeJson(Buffer.from(text));
    } catch (error) {
      refuse(
        path,
        `this is not ${error instanceof ExcessiveJson ? 'a backup: it consists mostly of brackets or keys' : 'JSON'}`,
        error,
      );
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(path, 'this is not an object');
    try {
      if (countObjects((value as Record<string, unknown>)['labels']) > MAX_LABELS)
        refuse(path, `there are more than ${MAX_LABELS} labels, attributes and points of skeletons`);
      return validated(type, value as Record<string, unknown>, Infinity); // the number of jobs is not limited
    } catch (error) {
      if (error instanceof Invalid) refuse(path, JSON.stringify(error.body).slice(0, 500), error);
      throw error;
    }
  }
}

/** The objects in a list, with those in their own lists. Valid labels have three levels. */
function countObjects(list: unknown, level = 0): number {
  if (!Array.isArray(list) || level > 3) return 0;
  return list.reduce<number>((sum, one: unknown) => {
    if (typeof one !== 'object' || one === null) return sum;
    return sum + 1 + Object.values(one).reduce<number>((inner, value) => inner + countObjects(value, level + 1), 0);
  }, 0);
}

/** The number of frames of the task: up to the last frame of its jobs. */
export const sizeOf = ({ jobs }: BackupTaskDto): number => greatest(jobs.map((job) => job.stop_frame)) + 1;

function requireJobs(file: string, { jobs, consensus_replicas: replicas }: BackupTaskDto): void {
  if (!jobs.some(isAnnotationJob)) refuse(file, 'there is no annotation job');
  if (replicas === 1) refuse(file, 'consensus_replicas is 1');
  for (const [index, job] of jobs.entries()) {
    const most = isAnnotationJob(job) ? (replicas ?? 0) : 0;
    if ((job.replicas?.length ?? 0) > most) refuse(file, `jobs[${index}] has more than ${most} replicas`);
  }
  if (jobs.filter((job) => !isAnnotationJob(job)).length > 1) refuse(file, 'there is more than one ground truth job');
  for (const [index, job] of jobs.entries()) {
    if (job.stop_frame < job.start_frame) refuse(file, `jobs[${index}] ends before it begins`);
  }
}

/** Everything of a task except labels. Requires its restored media. @throws FormatError */
export function restoredTask({ prefix, task }: TaskPart, media: RestoredMedia): RestoredTask {
  const { data, jobs, consensus_replicas: replicas = 0 } = task;
  const { selection } = media;
  const file = `${prefix}task.json`;
  const validation = validationOf(file, task, media);
  const [first, second] = jobs.filter(isAnnotationJob);
  const isCustom = data.custom_segments === true || validation?.mode === 'gt_pool';
  const length = first === undefined ? 0 : first.stop_frame - first.start_frame + 1;
  return {
    media,
    data: {
      chunkSize: data.chunk_size ?? null,
      imageQuality: data.image_quality ?? 70,
      storageMethod: data.storage_method ?? 'cache',
      sortingMethod: data.sorting_method ?? 'lexicographical',
      deletedFrames: ascending((data.deleted_frames ?? []).filter((frame) => frame < selection.size)),
      validation,
    },
    real: validation?.mode === 'gt_pool' ? repetitions(media, validation.frames) : new Map(),
    segments: jobs.map((job) => {
      const frames = job.frames ?? [];
      const wrong = frames.find((frame) => relativeFrame(selection, frame) === null);
      if (wrong !== undefined) refuse(file, `the task has no frame ${wrong}`);
      const isRange = frames.length === 0;
      return {
        start: job.start_frame,
        stop: job.stop_frame,
        type: isRange ? 'range' : 'specific_frames',
        frames: isRange ? [] : ascending(frames),
        jobType: isAnnotationJob(job) ? 'annotation' : 'ground_truth',
        ...progressOf(job),
        replicas: job.replicas ?? [],
      } as const;
    }),
    replicas,
    segmentSize: isCustom ? 0 : length,
    overlap:
      isCustom || first === undefined
        ? 0
        : second === undefined
          ? Math.min(task.overlap ?? 0, Math.floor(length / 2))
          : Math.max(0, first.stop_frame - second.start_frame + 1),
  };
}

function validationOf(
  file: string,
  { data, jobs }: BackupTaskDto,
  media: RestoredMedia,
): RestoredTask['data']['validation'] {
  const layout = data.validation_layout;
  const job = jobs.find((known) => !isAnnotationJob(known));
  if (job === undefined) {
    if (layout != null) refuse(file, 'there is a validation layout, but no ground truth job');
    return null;
  }
  const { selection } = media;
  const frames = framesOf(job, selection);
  return {
    mode: layout?.mode ?? 'gt',
    framesPerJob: layout?.frames_per_job_count ?? null,
    frames,
    disabledFrames: disabledOf(layout ?? null, frames, media),
  };
}

/** Task-relative, ascending. */
function framesOf(job: BackupJobDto, selection: FrameSelection): number[] {
  const frames = job.frames ?? [];
  if (frames.length > 0) return ascending(frames.flatMap((frame) => relativeFrame(selection, frame) ?? []));
  return Array.from({ length: job.stop_frame - job.start_frame + 1 }, (_, index) => job.start_frame + index);
}

function disabledOf(
  layout: NonNullable<BackupDataDto['validation_layout']> | null,
  frames: readonly number[],
  { mode, images }: RestoredMedia,
): number[] {
  const names = new Set(layout?.disabled_frames ?? []);
  if (names.size === 0) return [];
  return frames.filter((frame) => names.has(mode === 'interpolation' ? String(frame) : (images[frame]?.path ?? '')));
}

/** Maps honeypots to the frames they repeat: images of the pool that appear in the frames of other jobs. */
function repetitions({ images }: RestoredMedia, pool: readonly number[]): Map<number, number> {
  const poolByPath = new Map(pool.map((frame) => [images[frame]?.path ?? '', frame]));
  const inPool = new Set(pool);
  const found = new Map<number, number>();
  for (const [frame, { path }] of images.entries()) {
    const real = poolByPath.get(path);
    if (real !== undefined && !inPool.has(frame)) found.set(frame, real);
  }
  return found;
}

const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
