import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { REMOVED, TABLES } from '../annotation-tables.js';

/** Who made the annotations of a job. */
export interface AnnotationAuthors {
  /** Who annotated the job; null if that is not known. */
  readonly annotator: number | null;
  /** @param id of the tag, shape or track. @returns null if that is not known, as for annotations older than the history */
  of(type: 'tag' | 'shape' | 'track', id: number, frame: number): number | null;
}

interface AuthorRow {
  readonly id: number;
  readonly author_id: number | null;
}

interface TrackAuthorRow extends AuthorRow {
  readonly frame: number;
}

/**
 * Finds who made annotations, from their history. An annotation belongs to who first saved it as it is now: in this place
 * and with this label. Who saves it again unchanged, restores it, or changes something else, is not its author.
 */
@Injectable()
export class AnnotationAuthorsReader {
  /** @param frames only annotations on these */
  async read(db: Queryable, jobId: number, frames: readonly number[]): Promise<AnnotationAuthors> {
    const [tags, shapes, tracks, annotator] = [
      await db.query<AuthorRow>(authorsOfTags(jobId, frames)),
      await db.query<AuthorRow>(authorsOfShapes(jobId, frames)),
      await db.query<TrackAuthorRow>(authorsOfTracks(jobId, frames)),
      await this.annotator(db, jobId),
    ];
    const authors = new Map<string, number | null>([
      ...tags.map(({ id, author_id }) => [`tag ${id}`, author_id] as const),
      ...shapes.map(({ id, author_id }) => [`shape ${id}`, author_id] as const),
      ...tracks.map(({ id, frame, author_id }) => [`track ${id} ${frame}`, author_id] as const),
    ]);
    return {
      annotator,
      of: (type, id, frame) => authors.get(type === 'track' ? `track ${id} ${frame}` : `${type} ${id}`) ?? null,
    };
  }

  /** Who saved most often at the stage annotation; without saves, the first assignee of that stage. */
  private async annotator(db: Queryable, jobId: number): Promise<number | null> {
    const [row] = await db.query<{ author_id: number }>(sql`
      select author_id from annotation_author where job_id = ${jobId} and stage = 'annotation'
      order by saves desc, id limit 1`);
    return row?.author_id ?? null;
  }
}

const authorsOfTags = (jobId: number, frames: readonly number[]): Sql => sql`
  with earliest as (
    select present.id, least(present.revision_id, min(gone.revision_id)) as revision_id
    from annotation_tag present left join annotation_tag_removed gone
      on gone.job_id = present.job_id and gone.frame = present.frame and gone.label_id = present.label_id
    where present.job_id = ${jobId} and present.frame = any(${[...frames]}::int[])
    group by present.id)
  select earliest.id, revision.author_id from earliest left join annotation_revision revision on revision.id = revision_id`;

/** A skeleton belongs to who placed the last of its elements. Numbers count as equal however they are written. */
const authorsOfShapes = (jobId: number, frames: readonly number[]): Sql => sql`
  with present as materialized (
    select id, coalesce(parent_id, id) as object_id, frame, label_id, type, rotation, points::jsonb as points, revision_id
    from annotation_shape where job_id = ${jobId} and frame = any(${[...frames]}::int[])),
  earliest as (
    select present.id, present.object_id, least(present.revision_id, min(gone.revision_id)) as revision_id
    from present left join annotation_shape_removed gone
      on gone.job_id = ${jobId} and gone.frame = present.frame and gone.label_id = present.label_id
        and gone.type = present.type and gone.rotation = present.rotation and gone.points::jsonb = present.points
    group by present.id, present.object_id, present.revision_id),
  object as (select object_id as id, max(revision_id) as revision_id from earliest group by object_id)
  select object.id, revision.author_id from object left join annotation_revision revision on revision.id = revision_id`;

/** On a frame, a track belongs to who placed its keyframe there, or the last one before. */
const authorsOfTracks = (jobId: number, frames: readonly number[]): Sql => sql`
  with keyframe as materialized (
    select track.id as track_id, coalesce(track.parent_id, track.id) as object_id, track.label_id, wanted.frame, placed.*
    from annotation_track track cross join unnest(${[...frames]}::int[]) as wanted(frame)
    cross join lateral (
      select frame as keyframe, type, outside, rotation, points::jsonb as points from annotation_tracked_shape
      where job_id = ${jobId} and track_id = track.id and frame <= wanted.frame order by frame desc limit 1) placed
    where track.job_id = ${jobId}),
  track as (${versions(jobId, 'track', sql`id, label_id`)}),
  tracked_shape as (${versions(jobId, 'trackedShape', sql`track_id, frame, type, outside, rotation, points`)}),
  version as (
    select tracked_shape.frame as keyframe, type, outside, rotation, points::jsonb as points, label_id,
      greatest(tracked_shape.revision_id, track.revision_id) as revision_id
    from tracked_shape join track on track.id = track_id
      and track.revision_id < tracked_shape.removed_id and tracked_shape.revision_id < track.removed_id
    where tracked_shape.frame in (select keyframe from keyframe)),
  earliest as (
    select object_id, track_id, frame, min(revision_id) as revision_id
    from keyframe join version using (keyframe, type, outside, rotation, points, label_id)
    group by object_id, track_id, frame),
  object as (select object_id as id, frame, max(revision_id) as revision_id from earliest group by object_id, frame)
  select object.id, object.frame, revision.author_id
  from object left join annotation_revision revision on revision.id = revision_id`;

/** The present and the removed rows of a job, with the save that removed them. */
const versions = (jobId: number, kind: 'track' | 'trackedShape', columns: Sql): Sql => sql`
  select ${columns}, revision_id, 9223372036854775807::bigint as removed_id from ${raw(TABLES[kind])} where job_id = ${jobId}
  union all select ${columns}, revision_id, removed_id from ${raw(REMOVED[kind])} where job_id = ${jobId}`;
