import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { ChangeLog } from '../../core/event-log/change-log.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { InvalidString } from '../../core/http/errors/errors.js';
import { ResponseInvalid } from '../../engines/functions/response-item.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CallBody } from './call-body.js';
import { FunctionFailure } from './function-failure.js';
import { HttpFunctions } from './http-functions/http-functions.js';
import type { CallFunctionDto, TrackingDto } from './lambda.dto.js';
import type { CallContext, LambdaFunction } from './lambda-function.js';
import { LambdaFunctions } from './lambda-functions.js';
import { LambdaTargets } from './lambda-targets.js';
import { TrackerStates } from './tracker-states.js';

/** Calls functions for clients that wait for the result. Nothing is stored. */
@Injectable()
export class FunctionCalls {
  constructor(
    private readonly functions: LambdaFunctions,
    private readonly http: HttpFunctions,
    private readonly targets: LambdaTargets,
    private readonly states: TrackerStates,
    private readonly work: UnitOfWork,
    private readonly changes: ChangeLog,
  ) {}

  /**
   * @param signal aborted when the client has gone
   * @returns the JSON value of the response, whose form depends on the kind of the function
   * @throws ApiError
   */
  async call(actor: Actor, id: string, body: Unvalidated<CallFunctionDto>, signal: AbortSignal): Promise<unknown> {
    const called = await this.functions.find(actor, id);
    const target = await this.targets.require(actor, body.raw, 'call:online', id);
    const read = new CallBody(body.raw, called, target);
    try {
      const result = await this.dispatch(called, read, { actor, target, signal });
      if (called.provider === 'cvat') await this.record(called, { actor, target });
      return result;
    } catch (error) {
      if (error instanceof FunctionFailure) throw error.toApiError(called.name);
      if (error instanceof ResponseInvalid)
        throw new InvalidString(`The function "${called.name}" returned an invalid result. ${error.message}.`);
      throw error;
    }
  }

  private async dispatch(called: LambdaFunction, read: CallBody, context: CallContext): Promise<unknown> {
    const provider = this.functions.providerOf(called);
    switch (called.kind) {
      case 'detector': {
        const found = await provider.detect(
          called,
          read.detector((options) => provider.rules(options)),
          context,
        );
        return { version: 0, ...found, tracks: [] };
      }
      case 'interactor':
        return provider.interact(called, read.interactor(), context);
      case 'tracker':
        return this.track(called, read, context);
      case 'reid':
        return this.http.reidentify(called, read.reid(), context);
    }
  }

  private async track(called: LambdaFunction, read: CallBody, context: CallContext): Promise<TrackingDto> {
    const provider = this.functions.providerOf(called);
    const owner = { functionId: called.id, taskId: context.target.taskId };
    const sent = read.states();
    if (sent === null) {
      const call = read.trackerStart();
      const { shapes = call.shapes, states, agentId } = await provider.startTracking(called, call, context);
      return { shapes: [...shapes], states: states.map((state) => this.states.sign(state, owner, agentId)) };
    }
    const opened = sent.map((state) => (state === null ? null : this.states.open(state, owner)));
    const agentId = opened.find((state) => state !== null)?.agentId ?? null;
    const call = { frame: read.frame('frame', 'frame'), states: opened.map((one) => one?.state ?? null), agentId };
    const { shapes, states } = await provider.track(called, call, context);
    return { shapes: [...shapes], states: states.map((state) => this.states.sign(state, owner, agentId)) };
  }

  /** Logs who has used which function. */
  private record({ id }: LambdaFunction, { actor, target }: Pick<CallContext, 'actor' | 'target'>): Promise<void> {
    const { taskId, jobId, projectId, organizationId } = target;
    const object = { function: { id }, category: 'interactive', task_id: taskId, job_id: jobId };
    return this.work.run((tx) => {
      this.changes.record(tx, actor, 'call:function', { object }, { organizationId, projectId, taskId });
      return Promise.resolve();
    });
  }
}
