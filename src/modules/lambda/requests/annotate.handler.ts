import { Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { ApiError } from '../../../core/http/errors/errors.js';
import { ResponseInvalid } from '../../../engines/functions/response-item.js';
import {
  HandlesRequests,
  loadOwner,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
} from '../../requests/index.js';
import { FunctionFailure } from '../function-failure.js';
import { LambdaFunctions } from '../lambda-functions.js';
import { LambdaTargets } from '../lambda-targets.js';
import { Detection } from './detection.js';
import { ANNOTATE, type AnnotateParameters } from './function-request.repository.js';
import { ReidJoining } from './reid-joining.js';

/**
 * Annotates a task or job with an HTTP function. Each transaction stores the results of some frames together with the
 * position, so that another worker continues behind them and every frame is annotated once.
 */
@Injectable()
@HandlesRequests(ANNOTATE)
export class AnnotateHandler implements RequestHandler {
  readonly successTtlMs = 30 * 60_000;
  readonly failureTtlMs = 3 * 3_600_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly actors: Actors,
    private readonly functions: LambdaFunctions,
    private readonly targets: LambdaTargets,
    private readonly detection: Detection,
    private readonly reid: ReidJoining,
  ) {}

  async run(request: RequestContext): Promise<void> {
    const { functionId } = request.parameters as AnnotateParameters;
    let name = functionId;
    try {
      request.signal.throwIfAborted();
      const actor = await this.work.run((tx) => loadOwner(this.actors, tx, request));
      const target = await this.targets.find(actor, { task: request.taskId, job: request.jobId }, 'call:offline');
      const called = await this.functions.find(actor, functionId);
      name = called.name;
      const context = { actor, target, signal: request.signal };
      if (called.kind === 'reid') await this.reid.run(request, called, context);
      else await this.detection.run(request, called, context);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw failureOf(error, name);
    }
  }
}

function failureOf(error: unknown, name: string): unknown {
  const text = textOf(error, name);
  return text === undefined ? error : new RequestFailure(text, { cause: error });
}

function textOf(error: unknown, name: string): string | undefined {
  if (error instanceof FunctionFailure) return error.sentence(name);
  if (error instanceof ResponseInvalid) return `The function "${name}" returned an invalid result. ${error.message}.`;
  return error instanceof ApiError ? sentencesOf(error.body).join(' ') || error.message : undefined;
}

/** The sentences of an error's body, without the fields they are about. */
function sentencesOf(body: unknown): string[] {
  if (typeof body === 'string') return [body];
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(sentencesOf) : [];
}
