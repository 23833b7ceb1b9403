import { Injectable } from '@nestjs/common';
import { Db, readSnapshot } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { BoxTracks } from '../../../engines/functions/reid.js';
import type { Shape } from '../../../shared/annotations/model.js';
import {
  type AnnotatedJob,
  AnnotatedTaskRepository,
  AnnotationService,
  AnnotationSource,
  type JoinedShapes,
  shapesOf,
} from '../../annotations/index.js';
import { LabelService } from '../../labels/index.js';
import type { RequestContext } from '../../requests/index.js';
import { HttpFunctions } from '../http-functions/http-functions.js';
import type { CallContext, LambdaFunction } from '../lambda-function.js';
import { LambdaTargets } from '../lambda-targets.js';
import { framesOf } from '../lambda-targets.js';
import { repeated } from './repeated.js';
import type { AnnotateParameters } from './function-request.repository.js';

/**
 * Joins the rectangles of a task or job to tracks, job by job. All is stored in one transaction, so that another attempt
 * starts from the beginning.
 */
@Injectable()
export class ReidJoining {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly http: HttpFunctions,
    private readonly targets: LambdaTargets,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly source: AnnotationSource,
    private readonly annotations: AnnotationService,
    private readonly labels: LabelService,
  ) {}

  async run(request: RequestContext, called: LambdaFunction, context: CallContext): Promise<void> {
    const { taskId, jobId } = context.target;
    const owner = jobId === null ? ({ kind: 'task', id: taskId } as const) : ({ kind: 'job', id: jobId } as const);
    const { jobs } = await this.annotated.of(this.db, owner);
    const mutable = await this.mutableAttributes(taskId);
    const changes = new Map<number, JoinedShapes>();
    for (const [at, job] of jobs.entries()) {
      const onProgress = (done: number): void => request.setProgress((at + done) / jobs.length);
      changes.set(job.id, await this.join(request, called, context, { job, mutable, onProgress }));
    }
    await this.targets.find(context.actor, { task: taskId, job: jobId }, 'call:offline'); // may be lost meanwhile
    await this.work.run(async (tx) => {
      await this.annotations.joinShapes(tx, context.actor, owner, changes);
      await request.finish(tx);
    });
  }

  private async join(
    request: RequestContext,
    called: LambdaFunction,
    context: CallContext,
    { job, mutable, onProgress }: JoinedJob,
  ): Promise<JoinedShapes> {
    const { threshold, maxDistance } = request.parameters as AnnotateParameters;
    const frames = framesOf(context.target.source).filter((frame) => frame >= job.start && frame <= job.stop);
    const joined = new BoxTracks(frames, await this.rectangles(job));
    for (const pair of joined.pairs()) {
      const call = { ...pair, threshold, maxDistance };
      joined.link(pair, await repeated(() => this.http.reidentify(called, call, context), request.signal));
      onProgress((pair.frame1 - job.start) / (job.stop - job.start + 1));
    }
    const tracks = joined.tracks(job.stop, (specId) => mutable.has(specId));
    return { revision: job.revision, shapes: joined.boxes, tracks };
  }

  private rectangles(job: AnnotatedJob): Promise<Shape[]> {
    return readSnapshot(this.db, async (snapshot) => {
      const found: Shape[] = [];
      for await (const batch of this.source.shapes(snapshot, [job]))
        for (const shape of shapesOf(batch)) if (shape.type === 'rectangle') found.push(shape);
      return found;
    });
  }

  private async mutableAttributes(taskId: number): Promise<ReadonlySet<number>> {
    const labels = await this.labels.usedIn(this.db, 'task', [taskId]);
    const attributes = labels.flatMap((label) => label.attributes);
    return new Set(attributes.filter(({ mutable }) => mutable).map(({ id }) => id));
  }
}

interface JoinedJob {
  readonly job: AnnotatedJob;
  readonly mutable: ReadonlySet<number>;
  readonly onProgress: (done: number) => void;
}
