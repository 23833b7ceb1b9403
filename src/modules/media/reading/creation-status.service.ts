import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { FRACTION } from '../../../core/http/fields.js';
import { creationId } from '../upload/task-data.service.js';
import { RequestRepository } from '../../requests/index.js';
import { TaskService } from '../../tasks/index.js';
import type { Actor } from '../../../shared/policy/actor.js';

export class CreationStatusDto {
  @ApiProperty({ enum: ['Queued', 'Started', 'Finished', 'Failed'] }) state!: string;
  @ApiProperty() message!: string;
  @ApiProperty(FRACTION) progress!: number;
}

const STATES: Readonly<Record<string, string>> = { queued: 'Queued', started: 'Started', failed: 'Failed' };

/** Reports the progress of a task's creation in the form that old clients expect. */
@Injectable()
export class CreationStatusService {
  constructor(
    private readonly db: Db,
    private readonly tasks: TaskService,
    private readonly requests: RequestRepository,
    private readonly clock: Clock,
  ) {}

  /** An unknown or expired request counts as finished. */
  async get(actor: Actor, taskId: number): Promise<CreationStatusDto> {
    await this.tasks.require(this.db, actor, taskId, 'view');
    const request = await this.requests.find(this.db, creationId(taskId), this.clock.now());
    const state = STATES[request?.status ?? ''];
    if (request === undefined || state === undefined) return { state: 'Finished', message: '', progress: 0 };
    return { state, message: request.message, progress: request.status === 'started' ? request.progress : 0 };
  }
}
