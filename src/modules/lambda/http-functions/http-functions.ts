import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { type Detections, readDetections } from '../../../engines/functions/detections.js';
import { ResponseInvalid } from '../../../engines/functions/response-item.js';
import { type MappingRules, resolveMapping, SERVER_RULES } from '../../../engines/functions/mapping.js';
import { readTracking, shapesToSend, type Tracking } from '../../../engines/functions/tracking.js';
import { FrameImages } from '../frame-images.js';
import { FunctionFailure } from '../function-failure.js';
import type {
  CallContext,
  DetectorCall,
  FunctionProvider,
  InteractorCall,
  LambdaFunction,
  Point,
  Region,
  ReidCall,
  StartedTracking,
  TrackerStart,
  TrackerStep,
} from '../lambda-function.js';
import { FunctionClient } from './function-client.js';
import { FunctionSources } from './function-sources.js';

/** Functions with Nuclio's protocol, which this server calls over HTTP. */
@Injectable()
export class HttpFunctions implements FunctionProvider {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly sources: FunctionSources,
    private readonly client: FunctionClient,
    private readonly images: FrameImages,
  ) {}

  /** @returns also whether all servers of the settings could be reached */
  async list(): Promise<{ readonly functions: readonly LambdaFunction[]; readonly isComplete: boolean }> {
    const { functions, isComplete } = await this.sources.list();
    return { functions: functions.map((one) => ({ ...one, provider: 'cvat' })), isComplete };
  }

  rules(): MappingRules {
    return SERVER_RULES;
  }

  async detect(called: LambdaFunction, call: DetectorCall, context: CallContext): Promise<Detections> {
    const image = await this.images.read(context.actor, context.target, call.frame, call.region);
    const response = await this.invoke(called, { image, ...given('threshold', call.threshold) }, context.signal);
    const mapping = resolveMapping(call.mapping, context.target.labels);
    return readDetections(response, {
      frame: call.frame,
      mapping,
      masksToPolygons: call.masksToPolygons,
      ...originOf(call.region),
    });
  }

  async interact(called: LambdaFunction, call: InteractorCall, context: CallContext): Promise<unknown> {
    const image = await this.images.read(context.actor, context.target, call.frame, call.region);
    const shifted = (points: readonly Point[]): readonly Point[] => relativeTo(points, call.region);
    const prompts = { pos_points: shifted(call.posPoints), neg_points: shifted(call.negPoints) };
    const box = call.box.length === 0 ? null : shifted(call.box);
    const response = await this.invoke(called, { image, ...prompts, obj_bbox: box }, context.signal);
    return call.region === null ? response : inFrame(response, call.region);
  }

  async startTracking(called: LambdaFunction, call: TrackerStart, context: CallContext): Promise<StartedTracking> {
    const { shapeTypes: declared } = called;
    const image = await this.images.read(context.actor, context.target, call.frame);
    const payload = { image, shapes: shapesToSend(call.shapes, declared), states: [] };
    const response = await this.invoke(called, payload, context.signal);
    return { ...readTracking(response, { declared, count: call.shapes.length }), agentId: null };
  }

  async track(called: LambdaFunction, call: TrackerStep, context: CallContext): Promise<Tracking> {
    const { states, frame } = call;
    const image = await this.images.read(context.actor, context.target, frame);
    const payload = { image, shapes: states.map(() => null), states };
    const response = await this.invoke(called, payload, context.signal);
    return readTracking(response, { declared: called.shapeTypes, count: states.length });
  }

  /**
   * Finds the boxes of one frame in the next.
   * @returns for each of `boxes0` its index in `boxes1`, or -1
   */
  async reidentify(called: LambdaFunction, call: ReidCall, context: CallContext): Promise<number[]> {
    const [image0, image1] = await Promise.all([
      this.images.read(context.actor, context.target, call.frame0),
      this.images.read(context.actor, context.target, call.frame1),
    ]);
    const { boxes0, boxes1 } = call;
    const payload = { image0, image1, boxes0, boxes1, ...given('threshold', call.threshold) };
    const response = await this.invoke(
      called,
      { ...payload, ...given('max_distance', call.maxDistance) },
      context.signal,
    );
    const isMatching = Array.isArray(response) && response.length === boxes0.length;
    if (!isMatching || !response.every((at) => Number.isInteger(at) && at >= -1 && at < boxes1.length))
      throw new ResponseInvalid(`The response must be a list of ${boxes0.length} indices of boxes`);
    return response as number[];
  }

  /** @throws FunctionFailure */
  private async invoke({ id }: LambdaFunction, payload: object, signal: AbortSignal): Promise<unknown> {
    const called = await this.sources.find(id);
    if (called === undefined) throw new FunctionFailure('unreachable', 'is no longer available');
    const { url, headers } = called;
    return this.client.send({ url, headers, body: payload, timeoutMs: this.config.functions.timeoutMs, signal });
  }
}

const given = (key: string, value: number | null): object => (value === null ? {} : { [key]: value });

/** Moves the mask of an interactor from the region to the frame. Without bounds, it covers the whole region. */
function inFrame(response: unknown, [left, top, right, bottom]: Region): unknown {
  if (typeof response !== 'object' || response === null || Array.isArray(response)) return response;
  const { bounds, points, mask } = response as Readonly<Record<string, unknown>>;
  const own = isNumbers(bounds) ? bounds : [0, 0, right - left - 1, bottom - top - 1];
  const shift = (pair: readonly number[]): number[] => pair.map((value, at) => value + (at % 2 === 0 ? left : top));
  const isPath = Array.isArray(points) && points.every(isNumbers);
  return {
    ...response,
    ...(mask === undefined ? {} : { bounds: shift(own) }),
    ...(isPath ? { points: points.map(shift) } : {}),
  };
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');

/** Functions see only the region, and their results are relative to it. */
const originOf = (region: Region | null): { readonly origin?: Point } =>
  region === null ? {} : { origin: [region[0], region[1]] };

const relativeTo = (points: readonly Point[], region: Region | null): readonly Point[] =>
  region === null ? points : points.map(([x, y]) => [x - region[0], y - region[1]]);
