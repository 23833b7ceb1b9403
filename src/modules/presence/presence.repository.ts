import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Urls } from '../../core/http/response/urls.js';
import { sql } from '../../engines/sql/sql.js';
import { basicUserColumns, readBasicUser } from '../users/index.js';
import type { PresenceDto } from './presence.dto.js';

/** A window in which a user has a job open. */
export interface PresentWindow {
  readonly jobId: number;
  readonly userId: number;
  readonly windowId: string;
  readonly since: Date;
}

/** What is known about an open job, as rows. */
export interface PresentJob {
  readonly job: object & { readonly stage: string; readonly state: string; readonly revision: number };
  readonly people: readonly (object & { readonly since_date: string; readonly windows: number })[];
}

const MAX_PEOPLE = 100;

@Injectable()
export class PresenceRepository {
  /** Adds windows, or extends their expiry date. Deletes all windows that have expired. */
  async refresh(tx: Tx, windows: readonly PresentWindow[], expiry: Date): Promise<void> {
    const sorted = windows.toSorted(
      (a, b) => a.jobId - b.jobId || a.userId - b.userId || (a.windowId < b.windowId ? -1 : 1),
    );
    await tx.query(sql`
      insert into job_presence (job_id, user_id, window_id, since_date, expiry_date)
      select job_id, user_id, window_id, since_date, ${expiry}
      from unnest(${sorted.map(({ jobId }) => jobId)}::int[], ${sorted.map(({ userId }) => userId)}::int[],
        ${sorted.map(({ windowId }) => windowId)}::text[], ${sorted.map(({ since }) => since.toISOString())}::timestamptz[])
        as present(job_id, user_id, window_id, since_date)
      on conflict (job_id, user_id, window_id) do update set expiry_date = excluded.expiry_date`);
    await tx.query(sql`
      delete from job_presence where (job_id, user_id, window_id) in (
        select job_id, user_id, window_id from job_presence where expiry_date <= ${tx.now} for update skip locked)`);
  }

  /** Lets a window expire at this time. */
  async expire(tx: Tx, { jobId, userId, windowId }: PresentWindow, expiry: Date): Promise<void> {
    await tx.query(sql`
      update job_presence set expiry_date = ${expiry}
      where job_id = ${jobId} and user_id = ${userId} and window_id = ${windowId}`);
  }

  /** The jobs that exist, by id, with the people who have them open. */
  async find(db: Queryable, jobIds: readonly number[], now: Date): Promise<ReadonlyMap<number, PresentJob>> {
    const ids = [...jobIds];
    const [jobs, people] = await Promise.all([
      db.query<PresentJob['job'] & { id: number }>(sql`
        select job.id, job.stage, job.state, ${basicUserColumns('assignee', 'assignee')},
          coalesce(head.revision_id, 0) as revision
        from job left join app_user assignee on assignee.id = job.assignee_id
        left join annotation_head head on head.job_id = job.id
        where job.id = any(${ids}::int[])`),
      db.query<PresentJob['people'][number] & { job_id: number }>(sql`
        select present.job_id, present.since_date, present.windows, ${basicUserColumns('person', 'person')}
        from (
          select job_id, user_id, min(since_date) as since_date, count(*)::int as windows,
            row_number() over (partition by job_id order by min(since_date), user_id) as place
          from job_presence where job_id = any(${ids}::int[]) and expiry_date > ${now} group by job_id, user_id) present
        join app_user person on person.id = present.user_id
        where present.place <= ${MAX_PEOPLE} order by present.job_id, present.place`),
    ]);
    return new Map(
      jobs.map((job) => [job.id, { job, people: people.filter(({ job_id: jobId }) => jobId === job.id) }]),
    );
  }
}

/** @param baseUrl of the client */
export function toPresence({ job, people }: PresentJob, baseUrl: string): PresenceDto {
  const urls = new Urls(baseUrl);
  return {
    people: people.flatMap((row) => {
      const user = readBasicUser(row, 'person', urls);
      return user === null ? [] : [{ user, since_date: row.since_date, windows: row.windows }];
    }),
    revision: job.revision,
    job: { stage: job.stage, state: job.state, assignee: readBasicUser(job, 'assignee', urls) },
  };
}
