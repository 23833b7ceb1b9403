import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Detections } from '../../../engines/functions/detections.js';
import { emptyData } from '../../../shared/annotations/model.js';
import { AnnotationService } from '../../annotations/index.js';
import type { RequestContext } from '../../requests/index.js';
import { batchMappingOf } from '../call-body.js';
import { HttpFunctions } from '../http-functions/http-functions.js';
import type { CallContext, LambdaFunction } from '../lambda-function.js';
import { LambdaTargets } from '../lambda-targets.js';
import { FramesToAnnotate } from './frames-to-annotate.js';
import type { AnnotateParameters } from './function-request.repository.js';
import { repeated } from './repeated.js';

/** Results are stored after this many frames or objects, or this time. */
const BATCH = { frames: 100, objects: 20_000, ms: 20_000 };

/** Annotates the frames of a task or job with a detector. */
@Injectable()
export class Detection {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly http: HttpFunctions,
    private readonly frames: FramesToAnnotate,
    private readonly targets: LambdaTargets,
    private readonly annotations: AnnotationService,
  ) {}

  async run(request: RequestContext, called: LambdaFunction, context: CallContext): Promise<void> {
    const parameters = request.parameters as AnnotateParameters;
    const { threshold, masksToPolygons, region } = parameters;
    const mapping = batchMappingOf(parameters.mapping, called, context.target, this.http.rules());
    const all = await this.frames.of(context.target);
    const frames = all.filter((frame) => frame >= parameters.nextFrame);
    const saving = new Saving(parameters, this.clock.now());
    for (const [at, frame] of frames.entries()) {
      request.setProgress((all.length - frames.length + at) / all.length);
      const call = { frame, mapping, threshold, masksToPolygons, region };
      saving.add(frame, await repeated(() => this.http.detect(called, call, context), request.signal));
      if (at < frames.length - 1 && saving.isDue(this.clock.now())) await this.save(request, context, saving, false);
    }
    await this.save(request, context, saving, true);
  }

  private async save(request: RequestContext, context: CallContext, saving: Saving, isLast: boolean): Promise<void> {
    const { taskId, jobId } = context.target;
    const owner = jobId === null ? ({ kind: 'task', id: taskId } as const) : ({ kind: 'job', id: jobId } as const);
    const { data, replaced } = saving;
    await this.targets.find(context.actor, { task: taskId, job: jobId }, 'call:offline'); // may be lost meanwhile
    await this.work.run(async (tx) => {
      const isEmpty = data.tags.length + data.shapes.length === 0;
      if (replaced !== null || !isEmpty) await this.annotations.add(tx, context.actor, owner, data, replaced);
      if (isLast) await request.finish(tx);
      else await request.checkpoint(tx, saving.next);
    });
    saving.saved(this.clock.now());
  }
}

/** The results that are not stored yet, and the position behind them. */
class Saving {
  data = emptyData();
  private frames = 0;

  constructor(
    private parameters: AnnotateParameters,
    private since: Date,
  ) {}

  /** The first save of a request deletes what was there before it was made, if the request says so. */
  get replaced(): string | null {
    return this.parameters.cleanup && !this.parameters.isCleaned ? this.parameters.requested : null;
  }

  /** The parameters with which another attempt continues. */
  next: AnnotateParameters = this.parameters;

  add(frame: number, { tags, shapes }: Detections): void {
    for (const tag of tags) this.data.tags.push(tag);
    for (const shape of shapes) this.data.shapes.push(shape);
    this.frames += 1;
    this.next = { ...this.parameters, nextFrame: frame + 1, isCleaned: true };
  }

  isDue(now: Date): boolean {
    const objects = this.data.tags.length + this.data.shapes.length;
    const waited = now.getTime() - this.since.getTime();
    return this.frames >= BATCH.frames || objects >= BATCH.objects || waited >= BATCH.ms;
  }

  saved(now: Date): void {
    this.data = emptyData();
    this.frames = 0;
    this.parameters = this.next;
    this.since = now;
  }
}
