import { Controller, Get, Inject, Param, type Type } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { ApiTextErrors } from '../../core/http/api-errors.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import { movedExport } from '../../core/http/moved.js';
import type { Actor } from '../../shared/policy/actor.js';
import { ExchangeAccess, type ExportTarget } from './exchange-target.js';

/** An address by which older clients exported: it answers where that is done now. */
function removedController(kind: ExportTarget['kind'], name: string, part: string, now: string): Type {
  @ApiTags(`${kind}s`)
  @Controller(`api/${kind}s`)
  class RemovedController {
    constructor(@Inject(ExchangeAccess) private readonly access: ExchangeAccess) {}

    @Get(`:id/${part}`)
    @Scope(`${kind}:export`)
    @ApiOperation({ summary: `Removed: exports of a ${kind} are asked for elsewhere`, deprecated: true })
    @ApiTextErrors(410)
    async refuse(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<never> {
      await this.access.requireExport(actor, { kind, id });
      throw movedExport(`/api/${kind}s/id/${now}`);
    }
  }
  Object.defineProperty(RemovedController, 'name', { value: name });
  return RemovedController;
}

const DATASET = 'dataset/export?save_images=True';
const ANNOTATIONS = 'dataset/export?save_images=False';
const BACKUP = 'backup/export';

export const REMOVED_CONTROLLERS: Type[] = [
  removedController('project', 'ProjectDatasetRemovedController', 'dataset', DATASET),
  removedController('project', 'ProjectAnnotationsRemovedController', 'annotations', ANNOTATIONS),
  removedController('project', 'ProjectBackupRemovedController', 'backup', BACKUP),
  removedController('task', 'TaskDatasetRemovedController', 'dataset', DATASET),
  removedController('task', 'TaskBackupRemovedController', 'backup', BACKUP),
  removedController('job', 'JobDatasetRemovedController', 'dataset', DATASET),
];
