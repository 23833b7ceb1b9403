import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { type Page, parameter } from '../../core/list/page-request.js';
import { assignments, join, raw } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { taskPolicy } from '../../shared/policy/task.policy.js';
import { TaskService } from '../tasks/index.js';
import type { ConsensusSettingsDto, UpdateConsensusSettingsDto } from './consensus.dto.js';
import { ConsensusRepository, SETTINGS_COLUMNS, consensusSettingsList, toSettings } from './consensus.repository.js';

const MODEL = 'ConsensusSettings';

/** Reads and changes the settings by which replicas are merged. Their permissions are those of the task. */
@Injectable()
export class ConsensusSettings {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: ConsensusRepository,
    private readonly tasks: TaskService,
    private readonly lists: ListService,
    private readonly preconditions: Preconditions,
  ) {}

  /** @throws NotFound, Forbidden for the task that the query names */
  async list(actor: Actor, query: Record<string, unknown>): Promise<Page<ConsensusSettingsDto>> {
    const taskId = namedId(parameter(query, 'task_id'));
    if (taskId !== undefined) await this.tasks.require(this.db, actor, taskId, 'view');
    const options = {
      select: SETTINGS_COLUMNS,
      visible: taskId === undefined ? taskPolicy.visible(actor) : raw('true'),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/consensus/settings`,
    };
    return this.lists.page<ConsensusSettingsDto, ConsensusSettingsDto>(consensusSettingsList, options, toSettings);
  }

  async get(actor: Actor, id: number): Promise<ConsensusSettingsDto> {
    const found = await this.rows.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of(MODEL);
    requireAll(taskPolicy, ['view'], actor, found.facts);
    return found.settings;
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateConsensusSettingsDto>): Promise<ConsensusSettingsDto> {
    return this.work.run(async (tx) => {
      const [, found] = await Promise.all([this.rows.lock(tx, id), this.rows.findWithFacts(tx, id, actor.id)]);
      if (found === undefined) throw NotFound.of(MODEL);
      requireAll(taskPolicy, ['update:desc'], actor, found.facts);
      await this.preconditions.require(tx, 'consensus settings', found.settings);
      const { iou_threshold, quorum } = body.validate();
      const changes = assignments({ iou_threshold, quorum });
      if (changes.length === 0) return found.settings;
      const changed = await this.rows.set(tx, id, join(changes, ', '));
      if (changed === undefined) throw NotFound.of(MODEL);
      return changed;
    });
  }
}
