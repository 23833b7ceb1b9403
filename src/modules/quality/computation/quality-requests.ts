import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Clock } from '../../../core/clock.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { ApiError, Invalid, InvalidList, InvalidString } from '../../../core/http/errors/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { qualityPolicy } from '../../../shared/policy/quality.policy.js';
import { BackgroundRequests, requestIdOf, RequestRepository } from '../../requests/index.js';
import { doesNotExist, QualityTargets, type TargetKind } from '../quality-targets.js';
import type { CreateQualityReportDto, QualityReportDto } from '../reports/quality-report.dto.js';
import { QualityReportService } from '../reports/quality-report.service.js';
import { type CheckedTask, CheckedTaskRepository } from './checked-task.repository.js';
import { isCheckable } from './quality-outcome.js';
import { CALCULATE_QUALITY, type QualityRequestParameters } from './quality-request.handler.js';

const FIELDS = '"task_id", "project_id"';
const IDS = /^action=calculate&target=(task|project)&target_id=(\d{1,10})&subresource=quality$/;

export const qualityRequestId = ({ kind, id }: QualityRequestParameters): string =>
  requestIdOf({ action: 'calculate', target: kind, targetId: id, subresource: 'quality' });

/** The state of a computation, for clients that ask for it with the URL that started it. */
export type QualityProgress =
  | { readonly status: 202; readonly body: { readonly rq_id: string } }
  | { readonly status: 201; readonly body: QualityReportDto };

/** What a request is about, and where it belongs. */
interface QueuedComputation extends QualityRequestParameters {
  readonly organizationId: number | null;
  readonly projectId: number | null;
  readonly taskId: number | null;
  readonly jobId: number | null;
}

/** The background requests that compute quality. */
@Injectable()
export class QualityRequestQueue {
  constructor(
    private readonly background: BackgroundRequests,
    private readonly rows: RequestRepository,
    private readonly clock: Clock,
  ) {}

  /** @returns the id of the request. @throws OperationInProgress */
  async enqueue(tx: Tx, actor: Actor, { kind, id, ...place }: QueuedComputation): Promise<string> {
    const requestId = qualityRequestId({ kind, id });
    const parameters: QualityRequestParameters = { kind, id };
    await this.background.enqueue(tx, actor, {
      ...place,
      id: requestId,
      type: CALCULATE_QUALITY,
      target: kind,
      subresource: 'quality',
      parameters,
    });
    return requestId;
  }

  find(db: Queryable, id: string): ReturnType<RequestRepository['find']> {
    return this.rows.find(db, id, this.clock.now());
  }

  isActive(db: Queryable, parameters: QualityRequestParameters): Promise<boolean> {
    return this.rows.isActive(db, qualityRequestId(parameters));
  }

  async forget(tx: Tx, id: string): Promise<void> {
    await this.rows.forgetEnded(tx, id);
  }
}

/** Starts computations of quality, which run in the background. */
@Injectable()
export class QualityRequests {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly targets: QualityTargets,
    private readonly tasks: CheckedTaskRepository,
    private readonly reports: QualityReportService,
    private readonly requests: QualityRequestQueue,
  ) {}

  /**
   * @returns the id of the background request
   * @throws ApiError 400, 404; Forbidden, OperationInProgress
   */
  async start(actor: Actor, body: Unvalidated<CreateQualityReportDto>): Promise<string> {
    const target = namedTarget(body.validate());
    return this.work.run(async (tx) => {
      const found = await this.targets.find(tx, actor, target);
      if (found === undefined) throw doesNotExist(target.kind === 'task' ? 'Task' : 'Project', target.id);
      requireAll(qualityPolicy, ['create'], actor, found);
      const task = target.kind === 'task' ? await this.tasks.task(tx, target.id) : undefined;
      if (task !== undefined) requireGroundTruth(task);
      return this.requests.enqueue(tx, actor, {
        ...target,
        organizationId: found.facts.organization?.id ?? null,
        projectId: task === undefined ? target.id : task.project_id,
        taskId: task?.id ?? null,
        jobId: null,
      });
    });
  }

  /** @throws ApiError 400, 404, 500 with a JSON string */
  async progress(actor: Actor, id: string): Promise<QualityProgress> {
    const [, kind, targetId] = IDS.exec(id) ?? [];
    if (kind === undefined) throw new InvalidString('Provided request ID is invalid');
    const row = await this.requests.find(this.db, id);
    const target = await this.targets.find(this.db, actor, { kind: kind as TargetKind, id: Number(targetId) });
    if (row === undefined || target === undefined || row.owner_id !== actor.id) throw unknownRequest();
    requireAll(qualityPolicy, ['create'], actor, target);
    if (row.status === 'queued' || row.status === 'started') return { status: 202, body: { rq_id: id } };
    await this.work.run((tx) => this.requests.forget(tx, id));
    if (row.status === 'failed') throw new ApiError(500, row.message);
    if (row.result_id === null) throw unknownRequest();
    return { status: 201, body: await this.reports.get(actor, row.result_id) };
  }
}

const unknownRequest = (): ApiError => new ApiError(404, 'Unknown request id');

/** @throws Invalid unless exactly one of the fields is set */
function namedTarget({ task_id: taskId, project_id: projectId }: CreateQualityReportDto): {
  kind: TargetKind;
  id: number;
} {
  if (taskId !== undefined && projectId !== undefined) throw crossField(`Only 1 of the fields ${FIELDS} can be used`);
  if (taskId !== undefined) return { kind: 'task', id: taskId };
  if (projectId !== undefined) return { kind: 'project', id: projectId };
  throw crossField(`One of the fields ${FIELDS} required`);
}

const crossField = (text: string): Invalid => new Invalid({ non_field_errors: [text] });

/** @throws InvalidList */
function requireGroundTruth(task: CheckedTask): void {
  if (task.dimension !== '2d') throw new InvalidList('Quality reports are only supported in 2d tasks');
  if (!isCheckable(task)) {
    throw new InvalidList(
      'Quality reports require a Ground Truth job in the task at the acceptance stage and in the completed state',
    );
  }
}
