import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { TooManyPairs } from '../../../engines/annotations/assignment.js';
import {
  type Agreement,
  agreementReport,
  type AgreementReport,
  JobAgreement,
} from '../../../engines/consensus/agreement.js';
import { LabelService } from '../../labels/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  toRequestFailure,
} from '../../requests/index.js';
import { ConsensusRepository } from '../consensus.repository.js';
import { annotatorKey, MergeRepository, type ReplicatedJob } from '../merge.repository.js';
import { Replicas } from '../replicas.js';
import type { AnnotatorDto, MeasuredAgreementDto, StoredAgreement } from './agreement.dto.js';
import { AgreementRepository } from './agreement.repository.js';
import { CALCULATE_AGREEMENT, TOO_FEW_REPLICAS } from './agreement.service.js';

/** Calculates how far the annotators of a task's replicas agree. */
@Injectable()
@HandlesRequests(CALCULATE_AGREEMENT)
export class AgreementHandler implements RequestHandler {
  readonly successTtlMs = 300_000;
  readonly failureTtlMs = 86_400_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly rows: AgreementRepository,
    private readonly merges: MergeRepository,
    private readonly settings: ConsensusRepository,
    private readonly replicas: Replicas,
    private readonly labels: LabelService,
  ) {}

  async run(request: RequestContext): Promise<void> {
    try {
      request.signal.throwIfAborted();
      await this.work.run(async (tx) => {
        await this.calculate(tx, request);
        await request.finish(tx);
      });
    } catch (error) {
      throw toRequestFailure(error, request, TooManyPairs);
    }
  }

  private async calculate(tx: Tx, request: RequestContext): Promise<void> {
    const taskId = request.taskId ?? 0;
    const [task, replicated, settings] = await Promise.all([
      this.merges.taskOf(tx, { kind: 'task', id: taskId }),
      this.merges.replicatedJobs(tx, taskId),
      this.settings.ofTask(tx, taskId),
    ]);
    if (task === undefined || settings === undefined) throw new RequestFailure('The task was deleted');
    const jobs = replicated.filter(({ replicas }) => replicas.length > 1);
    if (jobs.length === 0) throw new RequestFailure(TOO_FEW_REPLICAS);
    request.setMessage('Comparing replicas');
    const opened = await this.replicas.open(tx, task, request.signal);
    const counts: JobAgreement[] = [];
    for (const job of jobs) {
      request.setProgress(counts.length / jobs.length);
      counts.push(await opened.agreement(job, settings.iou_threshold));
    }
    const owner =
      task.project_id === null
        ? ({ kind: 'task', id: taskId } as const)
        : ({ kind: 'project', id: task.project_id } as const);
    const names = new Map((await this.labels.ofOwner(tx, owner)).map(({ id, name }) => [id, name]));
    this.rows.save(tx, taskId, toStored(agreementReport(counts), { jobs, names, threshold: settings.iou_threshold }));
  }
}

function toAnnotator(key: string): AnnotatorDto {
  const [kind, id] = key.split(' ');
  return { id: kind === 'user' ? Number(id) : null, username: null, job_id: kind === 'job' ? Number(id) : null };
}

const toMeasured = ({ tags, shapes }: Agreement): MeasuredAgreementDto => ({
  tags: { decisions: tags.decisions, agreed_share: tags.observed, kappa: tags.kappa },
  shapes: {
    objects: shapes.objects,
    matched: shapes.matched,
    matched_share: shapes.share,
    mean_iou: shapes.similarity,
  },
});

function toStored(
  { total, jobs, labels, pairs }: AgreementReport,
  context: {
    readonly jobs: readonly ReplicatedJob[];
    readonly names: ReadonlyMap<number, string>;
    readonly threshold: number;
  },
): StoredAgreement {
  const jobOf = new Map(context.jobs.map((job) => [job.id, job]));
  return {
    iou_threshold: context.threshold,
    total: toMeasured(total),
    jobs: jobs.map((job) => {
      const { start = 0, stop = 0, replicas = [] } = jobOf.get(job.jobId) ?? {};
      const annotators = replicas.map((replica) => toAnnotator(annotatorKey(replica)));
      return { job_id: job.jobId, start_frame: start, stop_frame: stop, annotators, ...toMeasured(job) };
    }),
    labels: labels.map((label) => ({
      label_id: label.labelId,
      name: context.names.get(label.labelId) ?? '',
      ...toMeasured(label),
    })),
    pairs: pairs.map((pair) => ({ annotators: pair.annotators.map(toAnnotator), ...toMeasured(pair) })),
  };
}
