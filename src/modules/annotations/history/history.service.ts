import { Inject, Injectable } from '@nestjs/common';
import { copyOut } from '../../../core/database/copy.js';
import { Db, type Queryable, readSnapshot } from '../../../core/database/db.js';
import { Invalid, NotFound } from '../../../core/http/errors/errors.js';
import type { WriteText } from '../../../core/http/response/stream-json.js';
import { ListService } from '../../../core/list/list.service.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { AnnotatedTaskRepository, type Target } from '../annotated-task.repository.js';
import { COLUMNS } from '../../../engines/annotations/copy-text.js';
import { type Kind, KINDS, REMOVED, TABLES } from '../annotation-tables.js';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import { type RevisionDto, type RevisionRow, revisionsUrl, toRevision } from './revision.dto.js';
import { partsOf, revisionColumns, revisionList, RevisionRepository, revisionsOf } from './revision.repository.js';
import { OBJECT_KINDS, type ObjectKind } from './pending-revision.js';

/** Reads the history of a job's or task's annotations. The caller has checked the permission. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly db: Db,
    private readonly revisions: RevisionRepository,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly lists: ListService,
  ) {}

  list(actor: Actor, target: Target, query: Query): Promise<Page<RevisionDto>> {
    const options = {
      select: revisionColumns(partsOf(target)),
      visible: sql`true`,
      where: revisionsOf(target),
      organization: 'any',
      query,
      url: revisionsUrl(target, actor.baseUrl),
    } as const;
    return this.lists.page<RevisionRow, RevisionDto>(revisionList, options, (row) =>
      toRevision(row, target, actor.baseUrl),
    );
  }

  /** @throws NotFound if the save does not belong to these annotations, or has been deleted */
  async get(actor: Actor, target: Target, id: number): Promise<RevisionDto> {
    return toRevision(await this.find(this.db, target, id), target, actor.baseUrl);
  }

  /**
   * Writes the changes up to a save as JSON text.
   * @param id the save
   * @param since compare with the state after this earlier save; null: with the state before save `id`
   * @throws NotFound, Invalid
   */
  changes(target: Target, id: number, since: number | null, write: WriteText): Promise<void> {
    return readSnapshot(this.db, async (snapshot) => {
      await this.find(snapshot, target, id);
      if (since !== null) {
        await this.find(snapshot, target, since);
        if (since >= id) throw new Invalid({ since: ['Must be an earlier revision.'] });
      }
      const { jobs } = await this.annotated.of(snapshot, target);
      const text = new ChangesText();
      await write(text.begin(id, since));
      const query = changesQuery(
        jobs.map((job) => job.id),
        { from: since ?? id - 1, to: id },
      );
      for await (const lines of copyOut(snapshot.client, query)) await write(text.lines(lines));
      await write(text.end());
    });
  }

  /** @throws NotFound */
  async find(db: Queryable, target: Target, id: number): Promise<RevisionRow> {
    const row = await this.revisions.find(db, target, id);
    if (row === undefined) throw NotFound.of('Revision');
    return row;
  }
}

/** Two states to compare, each named by the id of the last save that it includes. */
interface Moments {
  readonly from: number;
  readonly to: number;
}

const CHANGES = ['created', 'updated', 'deleted'] as const;

const KIND_OF: Readonly<Record<ObjectKind, Kind>> = {
  tags: 'tag',
  shapes: 'shape',
  tracks: 'track',
  intervals: 'interval',
};

/** Columns that are compared, by their names in the API. */
const LABELED = { label_id: 'label_id', group: 'group_id', source: 'source', attributes: 'attributes' };
const FIELDS: Readonly<Record<ObjectKind, Readonly<Record<string, string>>>> = {
  tags: { ...LABELED, frame: 'frame' },
  shapes: {
    ...LABELED,
    ...Object.fromEntries(
      ['type', 'frame', 'occluded', 'outside', 'z_order', 'rotation', 'points', 'score'].map((name) => [name, name]),
    ),
  },
  tracks: { ...LABELED, frame: 'frame' },
  intervals: { ...LABELED, start: 'start', stop: 'stop', score: 'score' },
};

/**
 * A query for the differences between two states of jobs. Each line has the index of the change in CHANGES, the index of
 * the type in OBJECT_KINDS, id, frame, job_id, and the names of the changed fields, separated by commas. Numbers are
 * inserted as literals, because COPY takes no parameters.
 */
function changesQuery(jobIds: readonly number[], { from, to }: Moments): string {
  const jobs = `job_id in (${[...jobIds, -1].map(Math.trunc).join(', ')})`;
  const moments = { from: Math.trunc(from), to: Math.trunc(to) };
  return `${OBJECT_KINDS.map((kind) => ofKind(kind, jobs, moments)).join(' union all ')} order by 1, 2, 4, 3`;
}

function ofKind(kind: ObjectKind, jobs: string, moments: Moments): string {
  const frame = kind === 'intervals' ? 'start' : 'frame';
  const whole = kind === 'shapes' || kind === 'tracks' ? `${jobs} and parent_id is null` : jobs;
  const differing = [
    ...Object.entries(FIELDS[kind]).map(([name, column]) => fieldIf(name, `old.${column}`, `new.${column}`)),
    ...comparedParts(kind, jobs, moments),
  ];
  return `
    select case when old.id is null then 0 when new.id is null then 2 else 1 end, ${OBJECT_KINDS.indexOf(kind)},
      coalesce(new.id, old.id), coalesce(new.${frame}, old.${frame}), coalesce(new.job_id, old.job_id),
      case when old.id is null or new.id is null then '' else concat_ws(',', ${differing.join(', ')}) end
    from (${gone(KIND_OF[kind], whole, moments)}) old
    full join (${appeared(KIND_OF[kind], whole, moments)}) new on new.job_id = old.job_id and new.id = old.id`;
}

const fieldIf = (name: string, old: string, now: string): string =>
  `case when ${old} is distinct from ${now} then '${name}' end`;

const columnsOf = (kind: Kind): string => COLUMNS[kind].join(', ');

/** Rows of the first state that are not in the second. */
const gone = (kind: Kind, where: string, { from, to }: Moments): string =>
  `select ${columnsOf(kind)} from ${REMOVED[kind]}
    where ${where} and revision_id <= ${from} and removed_id > ${from} and removed_id <= ${to}`;

/** Rows of the second state that are not in the first. */
const appeared = (kind: Kind, where: string, { from, to }: Moments): string =>
  `select ${columnsOf(kind)} from ${TABLES[kind]} where ${where} and revision_id > ${from} and revision_id <= ${to}
    union all
    select ${columnsOf(kind)} from ${REMOVED[kind]}
    where ${where} and revision_id > ${from} and revision_id <= ${to} and removed_id > ${to}`;

/** All rows of a state. */
const state = (kind: Kind, jobs: string, moment: number): string =>
  `(select ${columnsOf(kind)} from ${TABLES[kind]} where ${jobs} and revision_id <= ${moment}
    union all
    select ${columnsOf(kind)} from ${REMOVED[kind]} where ${jobs} and revision_id <= ${moment} and removed_id > ${moment})`;

/** Compares the parts of an object that are stored in rows of their own. */
function comparedParts(kind: ObjectKind, jobs: string, { from, to }: Moments): string[] {
  const compared = (name: string, text: (owner: string, moment: number) => string): string =>
    fieldIf(name, `(${text('old.id', from)})`, `(${text('new.id', to)})`);
  if (kind === 'shapes') {
    const elements = (owner: string, moment: number): string =>
      `select string_agg(concat_ws(' ', label_id, type, ${GEOMETRY}), ';' order by part.id)
        from ${state('shape', jobs, moment)} part where part.parent_id = ${owner}`;
    return [`case when new.type = 'skeleton' then ${compared('elements', elements)} end`];
  }
  if (kind !== 'tracks') return [];
  const keyframes = (owner: string, moment: number): string =>
    `select string_agg(concat_ws(' ', type, ${GEOMETRY}), ';' order by frame, part.id)
      from ${state('trackedShape', jobs, moment)} part where part.track_id = ${owner}`;
  const elements = (owner: string, moment: number): string =>
    `select string_agg(concat_ws(' ', element.label_id, (${keyframes('element.id', moment)})), ';' order by element.id)
      from ${state('track', jobs, moment)} element where element.parent_id = ${owner}`;
  return [compared('shapes', keyframes), compared('elements', elements)];
}

const GEOMETRY = 'frame, occluded, outside, z_order, rotation, points, attributes';

/** Writes the JSON of a comparison in chunks, from the sorted lines of `changesQuery`. */
class ChangesText {
  private section = -1;
  private comma = '';

  begin(revision: number, since: number | null): string {
    return `{"revision":${revision},"since":${since}`;
  }

  lines(lines: readonly string[]): string {
    let text = '';
    for (const line of lines) {
      const [change = '', kind = '', id = '', frame = '', jobId = '', fields = ''] = line.split('\t');
      text += this.enter(Number(change) * OBJECT_KINDS.length + Number(kind));
      const more = CHANGES[Number(change)] === 'updated' ? `,"fields":${fieldsText(fields)}` : '';
      text += `${this.comma}{"id":${id},"frame":${frame},"job_id":${jobId}${more}}`;
      this.comma = ',';
    }
    return text;
  }

  end(): string {
    return `${this.enter(CHANGES.length * OBJECT_KINDS.length - 1)}]}}`;
  }

  /** Opens the list of a section if it is not open yet, and closes the ones before it. */
  private enter(section: number): string {
    let text = '';
    while (this.section < section) {
      this.section += 1;
      this.comma = '';
      const kind = this.section % OBJECT_KINDS.length;
      const closing = this.section === 0 ? ',' : kind === 0 ? ']},' : '],';
      const opening = kind === 0 ? `"${CHANGES[this.section / OBJECT_KINDS.length]}":{` : '';
      text += `${closing}${opening}"${OBJECT_KINDS[kind]}":[`;
    }
    return text;
  }
}

const fieldsText = (fields: string): string => JSON.stringify(fields === '' ? [] : fields.split(','));

const EVERY_MS = 60_000;
const BATCH = 100;
const DAY_MS = 86_400_000;

/**
 * Deletes old saves from the history. A state is reconstructed from the rows that later saves removed, so it deletes the
 * oldest saves first: every save that is still listed can be restored.
 */
@Injectable()
export class HistoryCleaner {
  constructor(
    private readonly work: UnitOfWork,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Deletes one batch in one transaction. @returns whether there may be more */
  @UpkeepEvery({ name: 'clean-up of the history of annotations', everyMs: EVERY_MS })
  cleanOnce(): Promise<boolean> {
    const limit = new Date(this.clock.now().getTime() - this.config.annotations.historyDays * DAY_MS);
    return this.work.run(async (tx) => {
      const old = await tx.query<{ id: number }>(sql`
        with oldest as (select id, created_date from annotation_revision order by id limit ${BATCH})
        select id from oldest
        where id < coalesce((select min(id) from oldest where created_date >= ${limit}), 9223372036854775807)`);
      if (old.length === 0) return false;
      const ids = old.map((row) => row.id);
      for (const kind of KINDS) {
        await tx.query(sql`
          delete from ${raw(REMOVED[kind])} gone using annotation_revision_part part
          where part.revision_id = any(${ids}::bigint[]) and gone.job_id = part.job_id and gone.removed_id = part.revision_id`);
      }
      await tx.query(sql`delete from annotation_revision where id = any(${ids}::bigint[])`);
      return old.length === BATCH;
    });
  }
}
