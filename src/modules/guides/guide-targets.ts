import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Forbidden, InvalidList } from '../../core/http/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { guidePolicy, type GuideScope } from '../../shared/policy/guide.policy.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';
import type { GuideTarget } from './guide-target.js';
import { GuideRepository } from './guide.repository.js';

const NAMES = { project: 'Project', task: 'Task' } as const;

/** Projects and tasks as that which guides are for. */
@Injectable()
export class GuideTargets {
  constructor(
    @Inject(GuideRepository) private readonly guides: GuideRepository,
    @Inject(ProjectService) private readonly projects: ProjectService,
    @Inject(TaskService) private readonly tasks: TaskService,
  ) {}

  /** @throws InvalidList for a target that does not exist, Forbidden */
  async require(db: Queryable, actor: Actor, target: GuideTarget, scope: GuideScope): Promise<void> {
    const facts = await this.guides.targetFacts(db, target, actor.id);
    if (facts === undefined) throw new InvalidList(`${NAMES[target.kind]} matching query does not exist.`);
    if (!guidePolicy.allow(scope, actor, facts)) throw new Forbidden();
  }

  /** As `require`, for a guide that gets this target. */
  async take(tx: Tx, actor: Actor, target: GuideTarget, scope: GuideScope): Promise<void> {
    await this.guides.keepTarget(tx, target);
    await this.require(tx, actor, target, scope);
  }

  /** A change of a guide is a change of what it is for. */
  async touch(tx: Tx, actor: Actor, { kind, id }: GuideTarget): Promise<void> {
    if (kind === 'project') await this.projects.touch(tx, actor, id);
    else await this.tasks.touch(tx, actor, id);
  }
}
