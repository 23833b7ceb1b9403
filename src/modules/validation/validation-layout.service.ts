import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { mersenneTwister } from '../../engines/media/random.js';
import type { Honeypot } from '../../engines/media/validation-frames.js';
import type { Actor } from '../../shared/policy/actor.js';
import { FrameAnnotations } from '../annotations/index.js';
import { JobService } from '../jobs/index.js';
import { MediaSourceRepository, type ValidationRow } from '../media/index.js';
import { TaskService } from '../tasks/index.js';
import { drawnHoneypots, type HoneypotChange, namedHoneypots, requireHoneypotChange } from './honeypot-choice.js';
import type {
  JobValidationLayoutDto,
  TaskValidationLayoutDto,
  UpdateJobValidationLayoutDto,
  UpdateTaskValidationLayoutDto,
} from './validation.dto.js';
import { type CheckedJob, ValidationRepository } from './validation.repository.js';

/** The frames that the annotations of a task are validated with. */
interface Layout extends ValidationRow {
  readonly dataId: number;
  readonly mode: 'gt' | 'gt_pool';
  readonly honeypots: readonly Honeypot[];
}

@Injectable()
export class ValidationLayoutService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly layouts: ValidationRepository,
    private readonly sources: MediaSourceRepository,
    private readonly tasks: TaskService,
    private readonly jobs: JobService,
    private readonly annotations: FrameAnnotations,
  ) {}

  async ofTask(actor: Actor, taskId: number): Promise<TaskValidationLayoutDto> {
    await this.tasks.require(this.db, actor, taskId, 'view:validation_layout');
    return toTaskLayout(await this.layout(this.db, taskId));
  }

  async ofJob(actor: Actor, jobId: number): Promise<JobValidationLayoutDto> {
    await this.jobs.require(this.db, actor, jobId, 'view:validation_layout');
    const { layout, job } = await this.jobLayout(this.db, jobId);
    return toJobLayout(layout, job);
  }

  /** Disables validation frames, and makes the honeypots of all jobs repeat other frames, in one transaction. */
  updateTask(
    actor: Actor,
    taskId: number,
    body: Unvalidated<UpdateTaskValidationLayoutDto>,
  ): Promise<TaskValidationLayoutDto> {
    return this.work.run(async (tx) => {
      await this.tasks.require(tx, actor, taskId, 'update:validation_layout');
      const dto = body.validate();
      if (dto.frame_selection_method !== undefined) await this.annotations.lock(tx, taskId);
      const layout = await this.requireLayout(tx, taskId);
      requireHoneypotChange(dto);
      if (dto.frame_selection_method !== undefined) requirePool(layout);
      if (dto.disabled_frames !== undefined) await this.disable(tx, actor, taskId, layout, dto.disabled_frames);
      if (dto.frame_selection_method !== undefined) {
        const jobs = (await this.layouts.jobs(tx, taskId)).filter(({ type }) => type === 'annotation');
        await this.change(tx, actor, taskId, dto, jobs);
      }
      return toTaskLayout(await this.layout(tx, taskId));
    });
  }

  /** Gives the honeypots of one job, and of its replicas, other frames. */
  updateJob(
    actor: Actor,
    jobId: number,
    body: Unvalidated<UpdateJobValidationLayoutDto>,
  ): Promise<JobValidationLayoutDto> {
    return this.work.run(async (tx) => {
      await this.jobs.require(tx, actor, jobId, 'update:validation_layout');
      const dto = body.validate();
      requireHoneypotChange(dto);
      const { taskId } = await this.jobLayout(tx, jobId);
      await this.annotations.lock(tx, taskId);
      requirePool(await this.requireLayout(tx, taskId));
      const { job } = await this.jobLayout(tx, jobId);
      await this.change(tx, actor, taskId, dto, [job]);
      return toJobLayout(await this.layout(tx, taskId), job);
    });
  }

  private async disable(
    tx: Tx,
    actor: Actor,
    taskId: number,
    { dataId, frames, disabledFrames }: Layout,
    asked: readonly number[],
  ): Promise<void> {
    const wanted = [...new Set(asked)].toSorted((a, b) => a - b);
    const known = new Set(frames);
    const unknown = wanted.filter((frame) => !known.has(frame));
    if (unknown.length > 0) {
      throw new InvalidList(`Unknown frames requested for exclusion from the validation set: ${unknown.join(', ')}`);
    }
    const disabled = new Set(disabledFrames);
    if (wanted.length === disabled.size && wanted.every((frame) => disabled.has(frame))) return;
    await this.sources.setDisabledFrames(tx, dataId, wanted);
    await this.tasks.touch(tx, actor, taskId, { touchProject: true });
  }

  /** @param jobs the jobs whose honeypots change */
  private async change(
    tx: Tx,
    actor: Actor,
    taskId: number,
    change: HoneypotChange,
    jobs: readonly CheckedJob[],
  ): Promise<void> {
    const layout = await this.requireLayout(tx, taskId);
    const now = new Map(layout.honeypots.map(({ frame, real }) => [frame, real]));
    const byJob = jobs.map((job) => honeypotsOf(layout, job));
    const asked = byJob.flat();
    const stay = layout.honeypots.filter((honeypot) => !asked.includes(honeypot));
    const chosen =
      change.frame_selection_method === 'manual'
        ? namedHoneypots(asked, change.honeypot_real_frames ?? [], layout)
        : drawnHoneypots(byJob, stay, layout, mersenneTwister(randomInt(2 ** 32)));
    const changed = chosen.filter(({ frame, real }) => now.get(frame) !== real);
    if (changed.length > 0) await this.exchange(tx, actor, taskId, layout, changed);
  }

  private async exchange(
    tx: Tx,
    actor: Actor,
    taskId: number,
    { dataId, honeypots, disabledFrames, deletedFrames }: Layout,
    changed: readonly Honeypot[],
  ): Promise<void> {
    await this.layouts.setHoneypots(tx, dataId, changed);
    const frames = changed.map(({ frame }) => frame);
    const back = new Set(
      honeypots
        .filter(({ frame, real }) => frames.includes(frame) && disabledFrames.includes(real))
        .map(({ frame }) => frame),
    );
    await this.sources.setDeletedFrames(
      tx,
      dataId,
      deletedFrames.filter((frame) => !back.has(frame)),
    );
    const jobs = (await this.layouts.jobs(tx, taskId)).filter(({ start, stop }) =>
      frames.some((frame) => frame >= start && frame <= stop),
    );
    const segments = new Set(jobs.map(({ segmentId }) => segmentId));
    await this.layouts.setChunksUpdated(tx, [...segments], tx.now);
    await this.annotations.clear(tx, actor, taskId, { jobIds: jobs.map(({ id }) => id), frames });
  }

  /** @returns undefined for a task without validation */
  private async layout(db: Queryable, taskId: number): Promise<Layout | undefined> {
    const dataId = await this.layouts.dataOf(db, taskId);
    if (dataId === undefined || dataId === null) return undefined;
    const row = await this.sources.validation(db, dataId);
    if (row?.mode == null) return undefined;
    const honeypots = row.mode === 'gt_pool' ? await this.sources.honeypots(db, dataId) : [];
    return { ...row, mode: row.mode, dataId, honeypots };
  }

  /** Locks the task and its layout until the transaction ends. @throws InvalidList for a task without validation */
  private async requireLayout(tx: Tx, taskId: number): Promise<Layout> {
    const dataId = await this.layouts.lockDataOf(tx, taskId);
    if (typeof dataId === 'number') await this.sources.lock(tx, dataId);
    const layout = await this.layout(tx, taskId);
    if (layout === undefined) throw new InvalidList('Validation is not configured in the task');
    return layout;
  }

  private async jobLayout(
    db: Queryable,
    jobId: number,
  ): Promise<{ taskId: number; layout: Layout | undefined; job: CheckedJob }> {
    const taskId = await this.layouts.taskOf(db, jobId);
    const jobs = taskId === undefined ? [] : await this.layouts.jobs(db, taskId);
    const job = jobs.find(({ id }) => id === jobId);
    if (taskId === undefined || job === undefined) throw NotFound.of('Job');
    return { taskId, job, layout: await this.layout(db, taskId) };
  }
}

/** @throws InvalidList */
function requirePool({ mode }: Layout): void {
  if (mode === 'gt_pool') return;
  throw new InvalidList("Honeypots can only be modified if the task validation mode is 'gt_pool'");
}

const honeypotsOf = ({ honeypots }: Layout, { start, stop }: CheckedJob): Honeypot[] =>
  honeypots.filter(({ frame }) => frame >= start && frame <= stop);

const honeypotKeys = (honeypots: readonly Honeypot[]): Required<JobValidationLayoutDto> => ({
  honeypot_count: honeypots.length,
  honeypot_frames: honeypots.map(({ frame }) => frame),
  honeypot_real_frames: honeypots.map(({ real }) => real),
});

const toJobLayout = (layout: Layout | undefined, job: CheckedJob): JobValidationLayoutDto =>
  layout?.mode === 'gt_pool' ? honeypotKeys(honeypotsOf(layout, job)) : {};

function toTaskLayout(layout: Layout | undefined): TaskValidationLayoutDto {
  if (layout === undefined) return { mode: null, frames_per_job_count: null };
  return {
    mode: layout.mode,
    frames_per_job_count: layout.framesPerJob,
    validation_frames: [...layout.frames],
    disabled_frames: [...layout.disabledFrames],
    ...(layout.mode === 'gt_pool' ? honeypotKeys(layout.honeypots) : {}),
  };
}
