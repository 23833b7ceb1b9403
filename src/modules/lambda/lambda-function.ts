import type { Detections } from '../../engines/functions/detections.js';
import type { FunctionDescription } from '../../engines/functions/description.js';
import type { LabelMapping, MappingRules } from '../../engines/functions/mapping.js';
import type { TrackedGeometry, Tracking } from '../../engines/functions/tracking.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { LambdaTarget } from './lambda-targets.js';

/** A function that an actor may use. */
export interface LambdaFunction extends FunctionDescription {
  /** `cvat`: called over HTTP; `native`: run by agents. */
  readonly provider: 'cvat' | 'native';
  /** Only for functions of agents. */
  readonly registration?: {
    readonly owner: { readonly id: number; readonly username: string } | null;
    /** Whether an agent is connected, or has been until recently. */
    readonly has_agent: boolean;
    readonly created_date: string;
    readonly updated_date: string;
    readonly url: string;
  };
}

export type Point = readonly [x: number, y: number];
/** Left, top, right, bottom in pixels. */
export type Region = readonly [number, number, number, number];

export interface DetectorCall {
  readonly frame: number;
  readonly mapping: LabelMapping;
  /** Null: the default of the function. */
  readonly threshold: number | null;
  readonly masksToPolygons: boolean;
  readonly region: Region | null;
}

export interface InteractorCall {
  readonly frame: number;
  readonly posPoints: readonly Point[];
  readonly negPoints: readonly Point[];
  /** Empty, or two corners. */
  readonly box: readonly Point[];
  readonly region: Region | null;
}

export interface TrackerStart {
  readonly frame: number;
  readonly shapes: readonly TrackedGeometry[];
}

export interface TrackerStep {
  readonly frame: number;
  /** As the tracker returned them; null for objects that are not tracked any more. */
  readonly states: readonly unknown[];
  /** Which agent has the states in its memory. */
  readonly agentId: string | null;
}

/** Only functions called over HTTP. */
export interface ReidCall {
  readonly frame0: number;
  readonly frame1: number;
  readonly boxes0: readonly unknown[];
  readonly boxes1: readonly unknown[];
  readonly threshold: number | null;
  readonly maxDistance: number | null;
}

export interface StartedTracking extends Pick<Tracking, 'states'> {
  /** Undefined: the function does not change the shapes of the first frame. */
  readonly shapes?: Tracking['shapes'];
  readonly agentId: string | null;
}

/** Whoever asks, and for what. */
export interface CallContext {
  readonly actor: Actor;
  readonly target: LambdaTarget;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** A way to execute functions. Calls throw FunctionFailure, and ResponseInvalid for results that break the contract. */
export interface FunctionProvider {
  /** Which labels fit together, depending on who converts results. */
  rules(options: { readonly masksToPolygons: boolean }): MappingRules;
  detect(called: LambdaFunction, call: DetectorCall, context: CallContext): Promise<Detections>;
  /** @returns the response for the client */
  interact(called: LambdaFunction, call: InteractorCall, context: CallContext): Promise<unknown>;
  startTracking(called: LambdaFunction, call: TrackerStart, context: CallContext): Promise<StartedTracking>;
  track(called: LambdaFunction, call: TrackerStep, context: CallContext): Promise<Tracking>;
}

/** An id for an error. Callers send ids of any length. */
export const shortened = (id: string): string => (id.length > 200 ? `${id.slice(0, 200)}…` : id);
