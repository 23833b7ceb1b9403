import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { Cascades } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import type { Actor } from '../../shared/policy/actor.js';
import { projectScope } from './project.events.js';
import { toProject } from './project.dto.js';
import { ProjectRepository } from './project.repository.js';
import { ProjectService } from './project.service.js';

/** Deletes projects with everything in them. */
@Injectable()
export class ProjectDeletion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectService,
    private readonly rows: ProjectRepository,
    private readonly cascades: Cascades,
    private readonly events: Events,
    private readonly preconditions: Preconditions,
  ) {}

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.projects.require(tx, actor, id, 'delete');
      await this.cascades.lock(tx, 'project', [id]);
      await this.rows.lock(tx, id);
      const row = await this.rows.find(tx, id);
      if (row === undefined) throw NotFound.of('Project');
      const project = toProject(row, new Urls(actor.baseUrl));
      await this.preconditions.require(tx, 'project', project);
      await this.events.deleted(tx, actor, 'project', { object: project, scope: projectScope(project) });
      await this.cascades.run(tx, { resource: 'project', ids: [id], actor });
      await this.rows.delete(tx, id);
    });
  }
}
