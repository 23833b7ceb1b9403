import type { LabeledData } from '../../../shared/annotations/model.js';
import type { AnnotatedTask } from '../annotated-task.repository.js';

/**
 * The action of a save. `import` replaces or appends the annotations of a file; `merge` replaces them by what replicas
 * have in common; `labels` is the deletion of labels.
 */
export const REVISION_ACTIONS = [
  'replace',
  'create',
  'update',
  'delete',
  'clear',
  'import',
  'restore',
  'merge',
  'labels',
] as const;
export type RevisionAction = (typeof REVISION_ACTIONS)[number];

/** Types of top-level objects, by their wire names. */
export const OBJECT_KINDS = ['tags', 'shapes', 'tracks', 'intervals'] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

export type ObjectCounts = Record<ObjectKind, number>;

/** One object that a save touched. */
export interface TouchedObject {
  readonly job_id: number;
  readonly kind: ObjectKind;
  readonly id: number;
  /** Frame number in the task; for an interval its first frame. */
  readonly frame: number;
}

/** If a save touches more objects than this, its event contains only their counts. */
export const MAX_LISTED = 1000;

/** A save in progress: the jobs it changed, and the objects it wrote. */
export class PendingRevision {
  /** Objects written, by job. */
  readonly written = new Map<number, ObjectCounts>();
  /** The first objects written, up to one more than an event lists. */
  readonly objects: TouchedObject[] = [];
  readonly changedJobs = new Set<number>();

  /**
   * @param revision its id, greater than that of every earlier save of the same jobs
   * @param task as it was when its jobs were locked
   */
  constructor(
    readonly revision: number,
    readonly action: RevisionAction,
    readonly task: AnnotatedTask,
  ) {}

  /** Registers the annotations written to a job. All objects have ids. */
  wrote(jobId: number, data: LabeledData): void {
    const counts = this.written.get(jobId) ?? noObjects();
    this.written.set(jobId, counts);
    for (const kind of OBJECT_KINDS) {
      counts[kind] += data[kind].length;
      for (const object of data[kind]) {
        if (this.objects.length > MAX_LISTED) break;
        const frame = 'start' in object ? object.start : object.frame;
        this.objects.push({ job_id: jobId, kind, id: object.id ?? 0, frame });
      }
    }
  }
}

export const noObjects = (): ObjectCounts => ({ tags: 0, shapes: 0, tracks: 0, intervals: 0 });

export const sumOf = (counts: ObjectCounts): number => OBJECT_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
