import { Inject, Injectable } from '@nestjs/common';
import { Clock, CONFIG, type Config, type EventMap, Events, OnEvent, sql, type Tx } from 'cairn/extension';
import { checklistScope } from './checklist.events.js';
import { toChecklist } from './checklist.mapper.js';
import { ChecklistRepository } from './checklist.repository.js';

/** A new task has not been checked yet: the checklists of its project start over. */
@Injectable()
export class ChecklistListener {
  constructor(
    @Inject(ChecklistRepository) private readonly checklists: ChecklistRepository,
    @Inject(Events) private readonly events: Events,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @OnEvent('create:task', { listener: 'checklists' })
  async onTask({ projectId }: EventMap['create:task'], tx: Tx): Promise<void> {
    if (projectId === null) return;
    for (const { id } of await this.checklists.ofProjects(tx, [projectId])) await this.startOver(tx, id);
  }

  /** Does nothing the second time, as when the event is delivered again. */
  private async startOver(tx: Tx, id: number): Promise<void> {
    await this.checklists.lock(tx, id);
    const before = await this.checklists.find(tx, id);
    if (before?.items.some(({ done }) => done) !== true) return;
    const items = before.items.map(({ text }) => ({ text, done: false }));
    const now = this.clock.now();
    await this.checklists.set(tx, id, [sql`items = ${JSON.stringify(items)}`, sql`updated_date = ${now}`]);
    const after = { ...before, items, updated_date: now.toISOString() };
    const { publicUrl } = this.config;
    const change = { before: toChecklist(before, publicUrl), after: toChecklist(after, publicUrl) };
    await this.events.updated(tx, null, 'checklist', { ...change, scope: checklistScope(after) });
  }
}
