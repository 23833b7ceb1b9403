import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { LAST_FRAME } from '../../../engines/annotations/frames.js';
import { join, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import type { AnnotationEvent, Change } from './annotation-rows.js';
import { RECORDED_ANNOTATIONS } from '../../../shared/audit-actions.js';
import { type Keyframe, visibleFrames } from './visible-frames.js';

export type SavedKind = (typeof RECORDED_ANNOTATIONS)[number];

/** Objects of one job and type that a save created, updated or deleted. */
export interface SavedGroup {
  readonly job_id: number;
  readonly change: Change;
  readonly kind: SavedKind;
  /** Type of the shapes; null for tags, and if it is no longer known. */
  readonly type: string | null;
  readonly count: number;
  readonly objects: readonly object[];
  readonly frames: readonly number[];
  /** Instead of `frames`, in PostgreSQL's notation. */
  readonly ranges?: string | null;
}

/** One object of a save. */
interface Item {
  readonly event: number;
  readonly revision: number;
  readonly job_id: number;
  readonly change: Change;
  readonly kind: SavedKind;
  readonly id: number;
  readonly frame: number;
}

interface Described {
  readonly type: string | null;
  readonly object: object;
  readonly frames: readonly number[];
}

interface TrackRow {
  readonly type: string | null;
  readonly stop_frame: number | null;
  readonly now: Keyframe[] | null;
  readonly before: Keyframe[] | null;
}

interface LongRow extends Omit<SavedGroup, 'objects' | 'frames'> {
  readonly ids: number[];
}

/** Payloads of saves of more objects than this list only the first of each type. */
const MAX_LISTED = 1000;

/** Reads what saves of annotations wrote, after they were committed. */
@Injectable()
export class SavedObjectsRepository {
  /** The objects of saves whose events list them, by the id of the event. Takes at most two statements. */
  async listed(tx: Tx, events: readonly AnnotationEvent[]): Promise<Map<number, SavedGroup[]>> {
    const short = events.filter(({ after }) => after.object.changes !== null);
    const items = short.flatMap(itemsOf);
    const [shapes, tracks] = [items.filter(isOf('shapes')), items.filter(isOf('tracks'))];
    const [types, keyframes] = await Promise.all([this.types(tx, shapes), this.keyframes(tx, tracks)]);
    const described = new Map<Item, Described>([
      ...shapes.map((item, index) => [item, { ...plain(item), type: types[index] ?? null }] as const),
      ...tracks.map((item, index) => [item, trackOf(item, keyframes[index])] as const),
    ]);
    const groups = new Map<number, SavedGroup[]>(short.map(({ id }) => [id, []]));
    for (const group of grouped(items, (item) => keyOf(item, described.get(item)))) {
      const [first] = group;
      if (first === undefined) continue;
      const known = group.map((item) => described.get(item) ?? plain(item));
      groups.get(first.event)?.push({
        job_id: first.job_id,
        change: first.change,
        kind: first.kind,
        type: known[0]?.type ?? null,
        count: group.length,
        objects: known.map(({ object }) => object),
        frames: known.flatMap(({ frames }) => frames),
      });
    }
    return groups;
  }

  /** The objects of a save of very many. */
  async long(tx: Tx, revision: number, jobIds: readonly number[]): Promise<SavedGroup[]> {
    const parts = RECORDED_ANNOTATIONS.flatMap((kind) => [
      written(kind, revision, jobIds),
      removed(kind, revision, jobIds),
    ]);
    const rows = await tx.query<LongRow>(join(parts, ' union all '));
    return rows.map(({ ids, ...row }) => ({ ...row, objects: ids.map((id) => ({ id })), frames: [] }));
  }

  /** A shape that a later save has replaced is among the removed ones. */
  private async types(tx: Tx, items: readonly Item[]): Promise<(string | null)[]> {
    if (items.length === 0) return [];
    const gone = (when: Sql): Sql => sql`(
      select type from annotation_shape_removed gone
      where gone.job_id = item.job_id and ${when} and gone.id = item.id order by gone.removed_id limit 1)`;
    const rows = await tx.query<{ type: string | null }>(sql`
      select case when item.deleted then ${gone(sql`gone.removed_id = item.revision`)}
        else coalesce((select type from annotation_shape where id = item.id), ${gone(sql`gone.removed_id > item.revision`)})
        end as type
      from ${itemTable(items)} order by item.index`);
    return rows.map(({ type }) => type);
  }

  private async keyframes(tx: Tx, items: readonly Item[]): Promise<TrackRow[]> {
    if (items.length === 0) return [];
    const shape = raw(`json_build_object('id', shape.id, 'frame', shape.frame, 'outside', shape.outside)`);
    return tx.query<TrackRow>(sql`
      select now.shapes as now, before.shapes as before, coalesce(now.type, before.type) as type,
        segment.stop_frame
      from ${itemTable(items)}
      left join job on job.id = item.job_id left join segment on segment.id = job.segment_id
      left join lateral (
        select json_agg(${shape} order by shape.frame) as shapes, min(shape.type) as type
        from annotation_tracked_shape shape where shape.job_id = item.job_id and shape.track_id = item.id) now
        on not item.deleted
      left join lateral (
        select json_agg(${shape} order by shape.frame) as shapes, min(shape.type) as type
        from annotation_tracked_shape_removed shape
        where shape.job_id = item.job_id and shape.track_id = item.id and shape.removed_id = item.revision) before on true
      order by item.index`);
  }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups.values();
}

const isOf =
  (kind: SavedKind) =>
  (item: Item): boolean =>
    item.kind === kind;

function itemsOf({ id: event, after: { object } }: AnnotationEvent): Item[] {
  const { changes } = object;
  if (changes === null) return [];
  return (['created', 'updated', 'deleted'] as const).flatMap((change) =>
    RECORDED_ANNOTATIONS.flatMap((kind) =>
      changes[change][kind].map((one) => ({ event, revision: object.id, change, kind, ...one })),
    ),
  );
}

const plain = ({ id, frame }: Item): Described => ({ type: null, object: { id }, frames: [frame] });

const keyOf = ({ event, job_id: job, change, kind }: Item, described: Described | undefined): string =>
  `${event} ${job} ${change} ${kind} ${described?.type ?? ''}`;

function trackOf(item: Item, row: TrackRow | undefined): Described {
  const { now, before, stop_frame: stop, type = null } = row ?? {};
  const last = stop ?? item.frame;
  const [visible, visibleBefore] = [visibleFrames(now ?? [], last), visibleFrames(before ?? [], last)];
  // The contract's sign: an update counts what was there before, less what is there now.
  const difference = item.change === 'created' ? visible : visibleBefore - visible;
  const shapes = now ?? before ?? [];
  return {
    type,
    object: {
      id: item.id,
      visible_shapes_count_diff: item.change === 'deleted' ? -visibleBefore : difference,
      shapes: shapes.map(({ id }) => ({ id })),
    },
    frames: shapes.map(({ frame }) => frame),
  };
}

/** The items as a FROM item. */
const itemTable = (items: readonly Item[]): Sql => sql`
  unnest(${items.map((item) => item.job_id)}::int[], ${items.map(({ revision }) => revision)}::bigint[],
    ${items.map(({ id }) => id)}::bigint[], ${items.map(({ change }) => change === 'deleted')}::boolean[])
    with ordinality as item(job_id, revision, id, deleted, index)`;

const tableOf: Readonly<Record<SavedKind, string>> = {
  tags: 'annotation_tag',
  shapes: 'annotation_shape',
  tracks: 'annotation_track',
  intervals: 'annotation_interval',
};

/** The elements of skeletons are part of their skeleton. */
const wholeOnly = (kind: SavedKind): Sql =>
  raw(kind === 'shapes' || kind === 'tracks' ? 'and object.parent_id is null' : '');

const typeOf = (kind: SavedKind, shapes: string): Sql =>
  kind === 'shapes'
    ? raw('object.type')
    : kind === 'tracks'
      ? raw(`(select shape.type from ${shapes} shape
          where shape.job_id = object.job_id and shape.track_id = object.id limit 1)`)
      : raw('null::text');

const aggregated = (kind: SavedKind, change: Sql, ranges: Sql, objects: Sql): Sql => sql`
  select job_id, ${change} as change, ${kind}::text as kind, type, count(*)::float8 as count,
    (array_agg(id order by id))[1:${raw(String(MAX_LISTED))}] as ids, ${ranges} as ranges
  from (${objects}) object group by job_id, type, 2`;

const frameOf = (kind: SavedKind): Sql => raw(kind === 'intervals' ? 'start' : 'frame');

function written(kind: SavedKind, revision: number, jobIds: readonly number[]): Sql {
  const table = tableOf[kind];
  return aggregated(
    kind,
    raw(`case when is_update then 'updated' else 'created' end`),
    sql`range_agg(int4range(least(frame, ${LAST_FRAME}::int), least(frame, ${LAST_FRAME}::int) + 1))::text`,
    sql`select object.job_id, object.id, object.${frameOf(kind)} as frame,
        ${typeOf(kind, 'annotation_tracked_shape')} as type,
        exists (select from ${raw(`${table}_removed`)} gone
          where gone.job_id = object.job_id and gone.removed_id = ${revision} and gone.id = object.id) as is_update
      from ${raw(table)} object
      where object.job_id = any(${[...jobIds]}::int[]) and object.revision_id = ${revision} ${wholeOnly(kind)}`,
  );
}

function removed(kind: SavedKind, revision: number, jobIds: readonly number[]): Sql {
  const table = tableOf[kind];
  return aggregated(
    kind,
    raw(`'deleted'`),
    raw('null::text'),
    sql`select object.job_id, object.id, ${typeOf(kind, 'annotation_tracked_shape_removed')} as type
      from ${raw(`${table}_removed`)} object
      where object.job_id = any(${[...jobIds]}::int[]) and object.removed_id = ${revision} ${wholeOnly(kind)}
        and not exists (select from ${raw(table)} present
          where present.id = object.id and present.revision_id = ${revision})`,
  );
}
