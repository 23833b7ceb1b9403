import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { changeRow, type Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Preconditions } from '../../../core/http/conditional/preconditions.js';
import { Invalid, InvalidList, NotFound } from '../../../core/http/errors/errors.js';
import { listOrganization, ListService } from '../../../core/list/list.service.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import { describeJsonError } from '../../../engines/json/python-json-error.js';
import { and, assignments, or, type Sql, sql } from '../../../engines/sql/sql.js';
import { column } from '../../../engines/sql/tables.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { projectPolicy } from '../../../shared/policy/project.policy.js';
import { namedOrganization, qualityPolicy, type QualityTarget } from '../../../shared/policy/quality.policy.js';
import { taskPolicy } from '../../../shared/policy/task.policy.js';
import { ProjectRepository } from '../../projects/index.js';
import { TaskRepository } from '../../tasks/index.js';
import { idParameter, QualityTargets, type TargetKind, wordParameter } from '../quality-targets.js';
import {
  type QualitySettingsDto,
  type QualitySettingsRow,
  SETTINGS_COLUMNS,
  qualitySettingsList,
  type UpdateQualitySettingsDto,
} from './quality-settings.dto.js';
import { QualitySettingsRepository } from './quality-settings.repository.js';

export const PARENT_TYPES = ['task', 'project'] as const;

/** Gives the owners of settings a new date. */
@Injectable()
export class SettingsOwners {
  constructor(
    private readonly projects: ProjectRepository,
    private readonly tasks: TaskRepository,
  ) {}

  async touch(tx: Tx, settings: QualitySettingsRow): Promise<void> {
    const { kind, id } = ownerOf(settings);
    const rows = kind === 'task' ? this.tasks : this.projects;
    await rows.lock(tx, id);
    rows.set(tx, id, sql`updated_date = ${tx.now}`);
  }
}

/** A change of settings, or of what shows them in another form. */
interface SettingsChange {
  /** For `If-Match`: the name of the resource, and its representation before the change. */
  readonly resource: string;
  readonly render: (before: QualitySettingsRow) => object;
  /** Called once the permission is checked. @throws Invalid */
  readonly read: () => UpdateQualitySettingsDto;
}

/** Reads and changes quality settings. They have the permissions of their task or project. */
@Injectable()
export class QualitySettingsService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: QualitySettingsRepository,
    private readonly targets: QualityTargets,
    private readonly lists: ListService,
    private readonly owners: SettingsOwners,
    private readonly preconditions: Preconditions,
  ) {}

  async list(actor: Actor, query: Query): Promise<Page<QualitySettingsDto>> {
    const conditions: Sql[] = [];
    for (const kind of PARENT_TYPES) {
      const id = idParameter(query, `${kind}_id`);
      if (id === undefined) continue;
      await this.requireNamed(actor, kind, id);
      if (kind === 'project') conditions.push(ofProject(id));
    }
    const parent = wordParameter(query, 'parent_type', PARENT_TYPES);
    if (parent !== undefined) conditions.push(sql`${column(`quality_settings.${parent}_id`)} is not null`);
    const options = {
      select: SETTINGS_COLUMNS,
      visible: qualityPolicy.visible(actor),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/quality/settings`,
      where: and(conditions),
    };
    return this.lists.page<QualitySettingsRow, QualitySettingsDto>(qualitySettingsList, options, toSettings);
  }

  async get(actor: Actor, id: number): Promise<QualitySettingsDto> {
    const row = await this.find(actor, id);
    if (row === undefined) throw NotFound.of('QualitySettings');
    return toSettings(row);
  }

  /** @returns undefined if they do not exist. @throws Forbidden */
  find(actor: Actor, id: number): Promise<QualitySettingsRow | undefined> {
    return this.allowed(this.db, actor, id, 'view');
  }

  async update(actor: Actor, id: number, body: Unvalidated<UpdateQualitySettingsDto>): Promise<QualitySettingsDto> {
    const changed = await this.change(actor, id, {
      resource: 'quality_settings',
      render: toSettings,
      read: () => {
        const dto = body.validate();
        requireJson(dto.job_filter);
        return dto;
      },
    });
    if (changed === undefined) throw NotFound.of('QualitySettings');
    return toSettings(changed);
  }

  /**
   * Only the given fields change. The task or project gets a new date, but there is no event.
   * @returns undefined if the settings do not exist. @throws Forbidden, Invalid
   */
  change(actor: Actor, id: number, request: SettingsChange): Promise<QualitySettingsRow | undefined> {
    return this.work.run(async (tx) => {
      const row = await this.allowed(tx, actor, id, 'update:desc');
      if (row === undefined) return undefined;
      const dto = request.read();
      await this.owners.touch(tx, row);
      const changed = await changeRow(tx, this.rows, id, async (before) => {
        await this.preconditions.require(tx, request.resource, request.render(before));
        return assignments({ ...dto });
      });
      return changed?.after;
    });
  }

  private async allowed(
    db: Queryable,
    actor: Actor,
    id: number,
    scope: 'view' | 'update:desc',
  ): Promise<QualitySettingsRow | undefined> {
    const row = await this.rows.find(db, id);
    const target = row === undefined ? undefined : await this.targets.find(db, actor, ownerOf(row));
    if (row === undefined || target === undefined) return undefined;
    requireScope(actor, target, scope);
    return row;
  }

  /** In a list, only the organization that the request names counts. @throws InvalidList, Forbidden */
  private async requireNamed(actor: Actor, kind: TargetKind, id: number): Promise<void> {
    const target = await this.targets.find(this.db, actor, { kind, id });
    if (target === undefined) {
      throw new InvalidList(`${kind === 'task' ? 'Task' : 'Project'} matching query does not exist.`);
    }
    const organization = namedOrganization(actor, target.facts.organization);
    const named = { ...target, facts: { ...target.facts, organization } } as QualityTarget;
    requireScope(actor, named, 'view');
  }
}

function requireScope(actor: Actor, { kind, facts }: QualityTarget, scope: 'view' | 'update:desc'): void {
  if (kind === 'task') requireAll(taskPolicy, ['view', scope], actor, facts);
  else requireAll(projectPolicy, ['view', scope], actor, facts);
}

const ownerOf = (row: QualitySettingsRow): { kind: TargetKind; id: number } =>
  row.task_id === null ? { kind: 'project', id: row.project_id ?? 0 } : { kind: 'task', id: row.task_id };

/** The settings of a project and those of its tasks. */
const ofProject = (id: number): Sql =>
  or([sql`${column('quality_settings.project_id')} = ${id}`, sql`${column('task.project_id')} = ${id}`]);

/** @throws Invalid; whether the terms exist is only known when a report is computed */
function requireJson(filter: string | undefined): void {
  if (filter === undefined || filter === '') return;
  try {
    JSON.parse(filter);
  } catch {
    throw new Invalid({ job_filter: [`filter: can't parse filter expression: ${describeJsonError(filter)}`] });
  }
}

/** @param row may have columns of the list */
function toSettings(row: QualitySettingsRow): QualitySettingsDto {
  const { list_total: _, ...settings } = row as QualitySettingsRow & { readonly list_total?: unknown };
  return settings;
}
