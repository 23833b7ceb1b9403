import type { AnnotationId, Conflict } from './compare-frame.js';
import type { FrameObject } from './frame-objects.js';
import type { Matching } from './matching.js';
import type { ComparisonReport } from './report.js';

/** Who made an annotation; without one: who is responsible for what is missing. Null if that is not known. */
export type AuthorOf = (annotation?: Pick<AnnotationId, 'type' | 'obj_id'>) => number | null;

/** What a report counts of the work of one author, by the names of the API. */
export interface AuthorCounts {
  frame_count: number;
  conflict_count: number;
  valid_count: number;
  ds_count: number;
  gt_count: number;
  total_count: number;
}

/** By author. */
export type CountsByAuthor = ReadonlyMap<number | null, Readonly<AuthorCounts>>;

const NOTHING: Readonly<AuthorCounts> = {
  frame_count: 0,
  conflict_count: 0,
  valid_count: 0,
  ds_count: 0,
  gt_count: 0,
  total_count: 0,
};
const NAMES = Object.keys(NOTHING) as readonly (keyof AuthorCounts)[];

/** Counts a frame by author: pairs and extra annotations for who made the annotation, and missing ones. */
export function countsByAuthor(
  { matches, mismatches, missing, extra }: Matching<FrameObject>,
  conflicts: readonly Conflict[],
  authorOf: AuthorOf,
): CountsByAuthor {
  const counts = new Map<number | null, AuthorCounts>();
  const add = (author: number | null, more: Partial<AuthorCounts>): void => {
    counts.set(author, sum(counts.get(author) ?? { ...NOTHING, frame_count: 1 }, { ...NOTHING, ...more }));
  };
  const of = ({ type, id }: FrameObject): number | null => authorOf({ type, obj_id: id });
  for (const { ds } of matches) add(of(ds), { valid_count: 1, ds_count: 1, gt_count: 1, total_count: 1 });
  for (const { ds } of mismatches) add(of(ds), { ds_count: 1, gt_count: 1, total_count: 1 });
  for (const { object } of extra) add(of(object), { ds_count: 1, total_count: 1 });
  for (const _ of missing) add(authorOf(), { gt_count: 1, total_count: 1 });
  for (const {
    type,
    annotation_ids: [annotation],
  } of conflicts)
    add(authorOf(type === 'missing_annotation' ? undefined : annotation), { conflict_count: 1 });
  return counts;
}

/**
 * The counts of a job by author. Their sums are those of its report: what no annotation stands for, such as frames that are
 * empty on both sides, counts for who annotated the job.
 */
export function countsOfJob(report: ComparisonReport, annotator: number | null): CountsByAuthor {
  const counts = new Map<number | null, AuthorCounts>();
  for (const { authors } of report.frames.values())
    for (const [author, more] of authors ?? []) counts.set(author, sum(counts.get(author) ?? NOTHING, more));
  const { annotations, conflict_count, frame_count } = report.summary;
  const rest = [...counts.values()].reduce(difference, { ...annotations, conflict_count, frame_count: 0 });
  const own = sum(counts.get(annotator) ?? NOTHING, { ...rest, frame_count: 0 });
  if (frame_count > 0) counts.set(annotator, { ...own, frame_count });
  return counts;
}

const combine = (
  a: Readonly<AuthorCounts>,
  b: Readonly<AuthorCounts>,
  of: (a: number, b: number) => number,
): AuthorCounts => Object.fromEntries(NAMES.map((name) => [name, of(a[name], b[name])])) as unknown as AuthorCounts;
const sum = (a: Readonly<AuthorCounts>, b: Readonly<AuthorCounts>): AuthorCounts => combine(a, b, (x, y) => x + y);
const difference = (a: AuthorCounts, b: Readonly<AuthorCounts>): AuthorCounts => combine(a, b, (x, y) => x - y);
