import { Inject, Injectable } from '@nestjs/common';
import {
  type Actor,
  BeforeDeleting,
  type Cascade,
  Clock,
  Db,
  Events,
  type EventScope,
  InvalidList,
  listOrganization,
  ListService,
  NotFound,
  type Page,
  Preconditions,
  ProjectRepository,
  type Queryable,
  requireAll,
  sql,
  type Tx,
  UnitOfWork,
  type Unvalidated,
} from 'cairn/extension';
import type { ChecklistDto, CreateChecklistDto, ItemInputDto, UpdateChecklistDto } from './checklist.dto.js';
import type { ChecklistItem } from './checklist.entity.js';
import { checklistScope } from './checklist.events.js';
import { checklistList } from './checklist.list.js';
import { type ChecklistRow, toChecklist } from './checklist.mapper.js';
import { checklistPolicy, type ChecklistScope } from './checklist.policy.js';
import { CHECKLIST_COLUMNS, ChecklistRepository } from './checklist.repository.js';

@Injectable()
export class ChecklistService {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(ChecklistRepository) private readonly checklists: ChecklistRepository,
    @Inject(ProjectRepository) private readonly projects: ProjectRepository,
    @Inject(ListService) private readonly lists: ListService,
    @Inject(Events) private readonly events: Events,
    @Inject(Preconditions) private readonly preconditions: Preconditions,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The database deletes checklists together with their project, so their events are recorded before. */
  @BeforeDeleting('project')
  async onDeletionOfProjects(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    const rows = await this.checklists.ofProjects(tx, ids);
    await this.events.deleted(
      tx,
      actor,
      'checklist',
      rows.map((row) => occurrence(row, actor)),
    );
  }

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<ChecklistDto>> {
    const options = {
      select: CHECKLIST_COLUMNS,
      visible: checklistPolicy.visible(actor),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/checklists`,
    };
    return this.lists.page<ChecklistRow, ChecklistDto>(checklistList, options, (row) =>
      toChecklist(row, actor.baseUrl),
    );
  }

  async get(actor: Actor, id: number): Promise<ChecklistDto> {
    return toChecklist(await this.require(this.db, actor, id, 'view'), actor.baseUrl);
  }

  create(actor: Actor, body: Unvalidated<CreateChecklistDto>): Promise<ChecklistDto> {
    return this.work.run(async (tx) => {
      const { project_id: projectId, title, items = [] } = body.validate();
      const project = await this.projects.facts(tx, projectId, actor.id);
      if (project === undefined) throw new InvalidList('Project matching query does not exist.');
      requireAll(checklistPolicy, ['create'], actor, project);
      const id = await this.checklists.insert(tx, projectId, title, items.map(toItem), this.clock.now());
      const row = await this.read(tx, id);
      await this.events.created(tx, actor, 'checklist', occurrence(row, actor));
      return toChecklist(row, actor.baseUrl);
    });
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateChecklistDto>): Promise<ChecklistDto> {
    return this.work.run(async (tx) => {
      const before = await this.lock(tx, actor, id, 'update');
      const { title, items } = body.validate();
      await this.checklists.set(tx, id, [
        sql`updated_date = ${this.clock.now()}`,
        ...(title === undefined ? [] : [sql`title = ${title}`]),
        ...(items === undefined ? [] : [sql`items = ${JSON.stringify(items.map(toItem))}`]),
      ]);
      const after = await this.read(tx, id);
      const change = { before: toChecklist(before, actor.baseUrl), after: toChecklist(after, actor.baseUrl) };
      await this.events.updated(tx, actor, 'checklist', { ...change, scope: checklistScope(after) });
      return change.after;
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'delete');
      await this.events.deleted(tx, actor, 'checklist', occurrence(row, actor));
      await this.checklists.delete(tx, id);
    });
  }

  private async lock(tx: Tx, actor: Actor, id: number, scope: ChecklistScope): Promise<ChecklistRow> {
    await this.checklists.lock(tx, id);
    const row = await this.require(tx, actor, id, scope);
    await this.preconditions.require(tx, 'checklist', toChecklist(row, actor.baseUrl));
    return row;
  }

  /** @throws NotFound, Forbidden */
  private async require(db: Queryable, actor: Actor, id: number, scope: ChecklistScope): Promise<ChecklistRow> {
    const row = await this.read(db, id);
    const project = await this.projects.facts(db, row.project_id, actor.id);
    if (project === undefined) throw NotFound.of('Checklist');
    requireAll(checklistPolicy, [scope], actor, project);
    return row;
  }

  private async read(db: Queryable, id: number): Promise<ChecklistRow> {
    const row = await this.checklists.find(db, id);
    if (row === undefined) throw NotFound.of('Checklist');
    return row;
  }
}

const occurrence = (row: ChecklistRow, actor: Actor): { object: ChecklistDto; scope: EventScope } => ({
  object: toChecklist(row, actor.baseUrl),
  scope: checklistScope(row),
});

const toItem = ({ text, done = false }: ItemInputDto): ChecklistItem => ({ text, done });
