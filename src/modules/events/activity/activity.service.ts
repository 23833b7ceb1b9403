import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { csvLine } from '../../../shared/csv.js';
import { Urls } from '../../../core/http/response/urls.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ProjectService } from '../../projects/index.js';
import { readBasicUser } from '../../users/index.js';
import type { ActivityDto, ActivityFiguresDto, ActivityUserDto, IdleJobDto } from './activity.dto.js';
import { type ActivityRange, ActivityRepository, type FiguresRow, type FramesRow } from './activity.repository.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const DEFAULT_IDLE_DAYS = 7;
const MAX_IDLE_DAYS = 3650;
const MAX_USERS = 1000;

export const ACTIVITY_TABLES = ['days', 'users', 'idle_jobs'] as const;

/** The range of days of a request, in UTC. */
interface Period {
  readonly from: Date;
  /** The last day. */
  readonly to: Date;
  readonly idleDays: number;
}

/** Figures about the work in a project, for the people who run it. */
@Injectable()
export class ActivityService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly projects: ProjectService,
    private readonly rows: ActivityRepository,
  ) {}

  /** @throws NotFound, Forbidden, Invalid */
  async get(actor: Actor, projectId: number, query: Query): Promise<ActivityDto> {
    await this.projects.require(this.db, actor, projectId, 'view:activity');
    const now = this.clock.now();
    const { from, to, idleDays } = readPeriod(query, now);
    const range: ActivityRange = { projectId, from, to: new Date(to.getTime() + DAY_MS) };
    const [figures, frames, openIssues, idle] = await Promise.all([
      this.rows.figures(this.db, range),
      this.rows.frames(this.db, range),
      this.rows.openIssues(this.db, projectId),
      this.rows.idleJobs(this.db, projectId, new Date(now.getTime() - idleDays * DAY_MS)),
    ]);
    const found = new Found(figures, frames);
    const urls = new Urls(actor.baseUrl);
    return {
      from: dayOf(from),
      to: dayOf(to),
      idle_days: idleDays,
      total: found.figures({ day: null, user_id: null, is_user: false }),
      days: daysOf(from, to).map((day) => ({
        date: day,
        ...found.figures({ day, user_id: null, is_user: false }),
      })),
      users: await this.users(found, urls),
      open_issues: openIssues,
      idle_job_count: idle[0]?.count ?? 0,
      idle_jobs: idle.map((row) => ({
        id: row.id,
        task_id: row.task_id,
        task_name: row.task_name,
        assignee: readBasicUser(row, 'assignee', urls),
        stage: row.stage,
        state: row.state,
        updated_date: row.updated_date,
      })),
    };
  }

  /** A table of the figures as CSV. @throws NotFound, Forbidden, Invalid */
  async csv(actor: Actor, projectId: number, query: Query): Promise<{ name: string; text: string }> {
    const activity = await this.get(actor, projectId, query);
    const table = parameter(query, 'table') || 'days';
    const lines = linesOf(activity, table);
    if (lines === undefined) throw new Invalid({ table: [`"${table}" is not a valid choice.`] });
    const name = `project_${projectId}_${table}_${activity.from}_${activity.to}.csv`;
    return { name, text: lines.map(csvLine).join('') };
  }

  /** People with some activity; events without a person are those of deleted accounts and of the server itself. */
  private async users(found: Found, urls: Urls): Promise<ActivityUserDto[]> {
    const ids = found.userIds().slice(0, MAX_USERS);
    const people = await this.rows.people(
      this.db,
      ids.filter((id) => id !== null),
    );
    const byId = new Map(people.map((row) => [(row as { user_id: number }).user_id, readBasicUser(row, 'user', urls)]));
    return ids.map((id) => ({
      user: id === null ? null : (byId.get(id) ?? null),
      ...found.figures({ day: null, user_id: id, is_user: true }),
    }));
  }
}

/** @throws Invalid */
function readPeriod(query: Query, now: Date): Period {
  const to = readDay(query, 'to') ?? new Date(Date.parse(dayOf(now)));
  const from = readDay(query, 'from') ?? new Date(to.getTime() - (DEFAULT_DAYS - 1) * DAY_MS);
  if (from > to) throw new Invalid({ from: ['The first day must not be after the last day.'] });
  if (to.getTime() - from.getTime() >= MAX_DAYS * DAY_MS)
    throw new Invalid({ from: [`The range must not have more than ${MAX_DAYS} days.`] });
  const idle = parameter(query, 'idle_days') || String(DEFAULT_IDLE_DAYS);
  if (!/^\d{1,4}$/.test(idle) || Number(idle) > MAX_IDLE_DAYS)
    throw new Invalid({ idle_days: [`Enter a whole number from 0 to ${MAX_IDLE_DAYS}.`] });
  return { from, to, idleDays: Number(idle) };
}

function readDay(query: Query, name: string): Date | undefined {
  const text = parameter(query, name);
  if (text === '') return undefined;
  const day = new Date(/^[12]\d{3}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : NaN);
  if (Number.isNaN(day.getTime()) || dayOf(day) !== text)
    throw new Invalid({ [name]: ['Date has wrong format. Use this format instead: YYYY-MM-DD.'] });
  return day;
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

function daysOf(from: Date, to: Date): string[] {
  const count = Math.round((to.getTime() - from.getTime()) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => dayOf(new Date(from.getTime() + index * DAY_MS)));
}

type Group = Pick<FiguresRow, 'day' | 'user_id' | 'is_user'>;

const keyOf = ({ day, user_id: userId, is_user: isUser }: Group): string => `${day} ${isUser ? userId : ''}`;

/** The rows that were read, by group. */
class Found {
  private readonly rows: ReadonlyMap<string, FiguresRow>;
  private readonly frames: ReadonlyMap<string, FramesRow>;

  constructor(rows: readonly FiguresRow[], frames: readonly FramesRow[]) {
    this.rows = new Map(rows.map((row) => [keyOf(row), row]));
    this.frames = new Map(frames.map((row) => [keyOf(row), row]));
  }

  /** Most working time first. */
  userIds(): (number | null)[] {
    return [...this.rows.values()]
      .filter((row) => row.is_user && row.day === null && hasFigures(row))
      .toSorted(
        (a, b) => b.working_time - a.working_time || b.objects - a.objects || (a.user_id ?? 0) - (b.user_id ?? 0),
      )
      .map((row) => row.user_id);
  }

  figures(group: Group): ActivityFiguresDto {
    const row = this.rows.get(keyOf(group));
    const frames = this.frames.get(keyOf(group))?.frames ?? 0;
    const { objects = 0, jobs_completed: completed = 0, working_time: time = 0 } = row ?? {};
    return {
      frames,
      objects,
      jobs_completed: completed,
      working_time: time,
      frames_per_hour: time === 0 ? null : rounded((frames * 3_600_000) / time),
      seconds_per_object: time === 0 || objects === 0 ? null : rounded(time / 1000 / objects),
    };
  }
}

/** People may also have done other things in the project. */
const hasFigures = ({ objects, working_time: time, jobs_completed: jobs }: FiguresRow): boolean =>
  objects + time + jobs > 0;

const rounded = (value: number): number => Math.round(value * 100) / 100;

type Cell = string | number | null;
const FIGURES = [
  'frames',
  'objects',
  'jobs_completed',
  'working_time',
  'frames_per_hour',
  'seconds_per_object',
] as const;
const JOB = ['id', 'task_id', 'task_name', 'assignee', 'stage', 'state', 'updated_date'] as const;

function linesOf({ days, users, idle_jobs: jobs }: ActivityDto, table: string): Cell[][] | undefined {
  const figures = (row: ActivityFiguresDto): Cell[] => FIGURES.map((name) => row[name]);
  if (table === 'days') return [['date', ...FIGURES], ...days.map((row) => [row.date, ...figures(row)])];
  if (table === 'users')
    return [
      ['user_id', 'username', ...FIGURES],
      ...users.map((row) => [row.user?.id ?? null, row.user?.username ?? null, ...figures(row)]),
    ];
  if (table === 'idle_jobs') return [[...JOB], ...jobs.map(jobLine)];
  return undefined;
}

const jobLine = (job: IdleJobDto): Cell[] =>
  JOB.map((name) => (name === 'assignee' ? (job.assignee?.username ?? null) : job[name]));
