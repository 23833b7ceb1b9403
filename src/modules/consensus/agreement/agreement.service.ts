import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { InvalidList, NotFound } from '../../../core/http/errors/errors.js';
import { csvLine } from '../../../shared/csv.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { BackgroundRequests, requestIdOf } from '../../requests/index.js';
import { TaskService } from '../../tasks/index.js';
import { MergeRepository, requireMergeable } from '../merge.repository.js';
import type { AgreementDto, AnnotatorDto, MeasuredAgreementDto } from './agreement.dto.js';
import { AgreementRepository } from './agreement.repository.js';

export const CALCULATE_AGREEMENT = 'calculate:agreement';

export const TOO_FEW_REPLICAS = 'No job has two replicas that somebody has worked on';

/** Queues the calculation of the agreement of a task's annotators, and returns its result. */
@Injectable()
export class AgreementService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: AgreementRepository,
    private readonly replicas: MergeRepository,
    private readonly tasks: TaskService,
    private readonly background: BackgroundRequests,
  ) {}

  /** @throws NotFound also if nothing has been calculated yet */
  async get(actor: Actor, taskId: number): Promise<AgreementDto> {
    await this.tasks.require(this.db, actor, taskId, 'view:agreement');
    const found = await this.rows.find(this.db, taskId);
    if (found === undefined) throw new NotFound('The agreement of this task has not been calculated yet.');
    return found;
  }

  async *csv(actor: Actor, taskId: number): AsyncGenerator<string> {
    for (const row of csvRows(await this.get(actor, taskId))) yield csvLine(row);
  }

  /** @returns the id of the background request */
  async calculate(actor: Actor, taskId: number): Promise<string> {
    await this.tasks.require(this.db, actor, taskId, 'view:agreement');
    const task = await this.replicas.taskOf(this.db, { kind: 'task', id: taskId });
    if (task === undefined) throw NotFound.of('Task');
    requireMergeable(task, 'Agreement is only supported in 2d tasks');
    const jobs = await this.replicas.replicatedJobs(this.db, taskId);
    if (!jobs.some(({ replicas }) => replicas.length > 1)) throw new InvalidList(TOO_FEW_REPLICAS);
    const id = requestIdOf({ action: 'calculate', target: 'task', targetId: taskId, subresource: 'agreement' });
    await this.work.run((tx) =>
      this.background.enqueue(tx, actor, {
        id,
        type: CALCULATE_AGREEMENT,
        target: 'task',
        projectId: task.project_id,
        taskId,
        organizationId: task.organization_id,
        subresource: 'agreement',
        parameters: {},
      }),
    );
    return id;
  }
}

type Cell = string | number | null;

const COLUMNS = [
  'scope', 'job_id', 'label', 'annotator_1', 'annotator_2', 'decisions', 'agreed_share', 'kappa', 'objects', 'matched',
  'matched_share', 'mean_iou',
]; // prettier-ignore

function csvRows({ total, jobs, labels, pairs }: AgreementDto): Cell[][] {
  const row = (
    scope: string,
    { jobId, label, pair }: { jobId?: number; label?: string; pair?: readonly string[] },
    { tags, shapes }: MeasuredAgreementDto,
  ): Cell[] => {
    const [first = null, second = null] = pair ?? [];
    const { decisions, agreed_share: agreed, kappa } = tags;
    const { objects, matched, matched_share: share, mean_iou: iou } = shapes;
    return [scope, jobId ?? null, label ?? null, first, second, decisions, agreed, kappa, objects, matched, share, iou];
  };
  return [
    COLUMNS,
    row('task', {}, total),
    ...jobs.map((job) => row('job', { jobId: job.job_id }, job)),
    ...labels.map((label) => row('label', { label: label.name }, label)),
    ...pairs.map((pair) => row('pair', { pair: pair.annotators.map(nameOf) }, pair)),
  ];
}

const nameOf = ({ id, username, job_id: jobId }: AnnotatorDto): string =>
  id === null ? `replica ${jobId}` : (username ?? `user ${id}`);
