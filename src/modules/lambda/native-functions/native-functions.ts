import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { InvalidString } from '../../../core/http/errors/errors.js';
import type { Detections } from '../../../engines/functions/detections.js';
import { agentRules, type MappingRules } from '../../../engines/functions/mapping.js';
import type { RequestParams } from '../../../engines/functions/request-params.js';
import type { Tracking, TrackedGeometry } from '../../../engines/functions/tracking.js';
import { MASK_BOX } from '../../../shared/annotations/model.js';
import { maskBitmap } from '../../../shared/annotations/mask.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { AnnotationRequests, type FunctionDto, FunctionService } from '../../functions/index.js';
import { FunctionFailure } from '../function-failure.js';
import type {
  CallContext,
  DetectorCall,
  FunctionProvider,
  InteractorCall,
  LambdaFunction,
  StartedTracking,
  TrackerStart,
  TrackerStep,
} from '../lambda-function.js';
import type { LambdaTarget } from '../lambda-targets.js';

interface InteractorResult {
  readonly shapes: readonly { readonly type: string; readonly points: readonly number[] }[];
}

/** Functions that agents run: calls are requests in their queues. */
@Injectable()
export class NativeFunctions implements FunctionProvider {
  constructor(
    private readonly work: UnitOfWork,
    private readonly functions: FunctionService,
    private readonly requests: AnnotationRequests,
  ) {}

  /** The functions that the actor may call. */
  async list(actor: Actor): Promise<readonly LambdaFunction[]> {
    const { results } = await this.functions.list(actor, { page_size: 'all' });
    return results.map(toLambdaFunction);
  }

  /** @throws NotFound, Forbidden */
  async get(actor: Actor, id: number): Promise<LambdaFunction> {
    return toLambdaFunction(await this.functions.get(actor, id));
  }

  rules(options: { readonly masksToPolygons: boolean }): MappingRules {
    return agentRules(options);
  }

  async detect(called: LambdaFunction, call: DetectorCall, context: CallContext): Promise<Detections> {
    const params = { type: 'annotate_frame', frame: call.frame, ...detectionParams(call) } as const;
    const { result } = await this.ask(called, params, context);
    const { tags, shapes } = result as Detections;
    return { tags, shapes };
  }

  /** @returns the shapes, and for apps that know no shapes the first mask as rows of pixels */
  async interact(called: LambdaFunction, call: InteractorCall, context: CallContext): Promise<unknown> {
    const { frame, posPoints, negPoints, box, region } = call;
    const prompts = { pos_points: posPoints, neg_points: negPoints, obj_bbox: box };
    const params = { type: 'interact', frame, ...prompts, ...(region === null ? {} : { roi: region }) } as const;
    const { shapes } = (await this.ask(called, params, context)).result as InteractorResult;
    const mask = shapes.find(({ type }) => type === 'mask');
    return { shapes, ...(mask === undefined ? {} : rowsOfMask(mask.points)) };
  }

  async startTracking(called: LambdaFunction, call: TrackerStart, context: CallContext): Promise<StartedTracking> {
    const params = { type: 'init_tracking', frame: call.frame, shapes: call.shapes } as const;
    const { result, agentId } = await this.ask(called, params, context);
    return { states: (result as { states: readonly string[] }).states, agentId };
  }

  /** Objects without a state are lost. */
  async track(called: LambdaFunction, call: TrackerStep, context: CallContext): Promise<Tracking> {
    const known = call.states.filter((state) => typeof state === 'string');
    if (known.length === 0 || call.agentId === null)
      return { shapes: call.states.map(() => null), states: call.states };
    const params = { type: 'track', frame: call.frame, states: known } as const;
    const { result } = await this.ask(called, params, context, call.agentId);
    const tracked = result as { states: readonly string[]; shapes: readonly (TrackedGeometry | null)[] };
    const rest = tracked.shapes.map((shape, at) => ({ shape, state: tracked.states[at] ?? null }));
    const found = call.states.map((state) => (typeof state === 'string' ? rest.shift() : undefined));
    return { shapes: found.map((one) => one?.shape ?? null), states: found.map((one) => one?.state ?? null) };
  }

  /** Queues a request for all frames. @returns its id */
  annotate(tx: Tx, actor: Actor, { called, call, target, cleanup }: BatchCall): Promise<string> {
    const { taskId, jobId } = target;
    const params = { type: 'annotate_task', ...detectionParams(call) } as const;
    return this.requests.create(tx, actor, { functionId: Number(called.id), taskId, jobId, params, cleanup });
  }

  /** @returns false if the request has ended */
  cancel(id: string): Promise<boolean> {
    return this.requests.cancel(id);
  }

  private async ask(
    called: LambdaFunction,
    params: RequestParams,
    { actor, target, signal }: CallContext,
    agentId?: string,
  ): Promise<{ readonly result: unknown; readonly agentId: string }> {
    const { taskId, jobId } = target;
    const asked = { functionId: Number(called.id), taskId, jobId, params, ...(agentId !== undefined && { agentId }) };
    const id = await this.work.run((tx) => {
      tx.isRepeatable = true;
      return this.requests.create(tx, actor, asked);
    });
    const outcome = await this.requests.outcome(id, signal);
    if (outcome.status === 'finished') return outcome;
    if (outcome.reason === 'state lost') throw new InvalidString(outcome.error);
    if (outcome.reason === 'timeout') throw new FunctionFailure('timeout', 'did not respond within 60 seconds');
    throw new FunctionFailure('failed', `has failed: ${outcome.error.replace(/\.$/, '')}`);
  }
}

interface BatchCall {
  readonly called: LambdaFunction;
  readonly call: Omit<DetectorCall, 'frame'>;
  readonly target: LambdaTarget;
  readonly cleanup: boolean;
}

const detectionParams = ({ mapping, threshold, masksToPolygons, region }: Omit<DetectorCall, 'frame'>) => ({
  mapping,
  threshold,
  conv_mask_to_poly: masksToPolygons,
  ...(region === null ? {} : { roi: region }),
});

const toLambdaFunction = (one: FunctionDto): LambdaFunction => ({
  provider: 'native',
  id: String(one.id),
  kind: one.kind as LambdaFunction['kind'],
  name: one.name,
  description: one.description,
  version: one.version,
  labels: one.labels_v2 ?? [],
  minPosPoints: one.min_pos_points ?? 1,
  minNegPoints: one.min_neg_points ?? -1,
  startsWithBox: one.startswith_box ?? false,
  startsWithBoxOptional: one.startswith_box_optional ?? false,
  shapeTypes: one.kind === 'tracker' ? (one.supported_shape_types ?? []) : null,
  helpMessage: one.help_message,
  animatedGif: one.animated_gif,
  registration: {
    owner: one.owner && { id: one.owner.id, username: one.owner.username },
    has_agent: one.has_agent,
    created_date: one.created_date,
    updated_date: one.updated_date,
    url: one.url,
  },
});

/** Rows of a larger mask would take more memory than the server should spend on one call. */
const MAX_ROW_PIXELS = 25_000_000;

/** Pixels of a mask, row by row, with its box. @returns undefined if the box is too large for that */
function rowsOfMask(points: readonly number[]): { readonly mask: number[][]; readonly bounds: number[] } | undefined {
  const bounds = points.slice(-MASK_BOX);
  const [left = 0, top = 0, right = 0, bottom = 0] = bounds;
  if ((right - left + 1) * (bottom - top + 1) > MAX_ROW_PIXELS) return undefined;
  const bitmap = maskBitmap(points, { left, top, right, bottom });
  if (bitmap === undefined) return undefined;
  const mask = Array.from({ length: bitmap.height }, (_, y) => [
    ...bitmap.pixels.subarray(y * bitmap.width, (y + 1) * bitmap.width),
  ]);
  return { mask, bounds };
}
