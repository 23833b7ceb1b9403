import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';

export { type Attributes, type Span, SpanKind } from '@opentelemetry/api';

/** Set while traces are exported. Everything here does nothing, and needs no memory, as long as it is not. */
let tracer: Tracer | undefined;
/** Number of spans that work is running in. */
let running = 0;
let release: () => void = () => undefined;

/**
 * Starts or, with undefined, stops the recording of spans in this process.
 * @param onIdle called when no work runs in a span any more. Before Node 24, async context slows down every promise of the
 *   process, so it should be disabled then
 */
export function useTracer(next: Tracer | undefined, onIdle: () => void = () => undefined): void {
  tracer = next;
  release = onIdle;
}

function leave(): void {
  running -= 1;
  if (running === 0) release();
}

/** Whether this process exports traces. */
export const isTracing = (): boolean => tracer !== undefined;

export interface SpanDescription {
  /** Default: internal. */
  readonly kind?: SpanKind;
  /** The W3C `traceparent` that the span continues. Default, also for null: the active span. */
  readonly parent?: string | null | undefined;
  readonly attributes?: Attributes;
}

/**
 * Runs `work`, synchronously up to its first wait, in a span that records its duration and its error.
 * @param work receives the span, or undefined if this process exports no traces
 */
export function traced<T>(
  name: string,
  { kind = SpanKind.INTERNAL, parent, attributes = {} }: SpanDescription,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work(undefined);
  const within = parent == null ? context.active() : contextOf(parent);
  const span = tracer.startSpan(name, { kind, attributes }, within);
  running += 1;
  return context.with(trace.setSpan(within, span), () => ending(span, work)).finally(leave);
}

/**
 * As `traced`, for steps of a request or of background work. Without one, as in polling workers, there is no span.
 */
export function tracedStep<T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return isRecording() ? traced(name, { kind, attributes }, work) : work();
}

/** Whether the current work belongs to a span that has not ended, and that is exported. Called for every statement. */
export const isRecording = (): boolean => running > 0 && trace.getActiveSpan()?.isRecording() === true;

async function ending<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    failed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. Only the kind of the error is exported, because messages can contain what users entered. */
export function failed(span: Span, error: unknown): void {
  const { name, code } = (error ?? {}) as { readonly name?: string; readonly code?: unknown };
  const type = [name ?? typeof error, ...(typeof code === 'string' ? [code] : [])].join(' ');
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR, message: type });
}

export interface RecordedSpan extends SpanDescription {
  readonly start: Date | number;
}

/** Exports a span that ends now, for work that is already done. */
export function recordSpan(
  name: string,
  { kind = SpanKind.INTERNAL, parent, attributes = {}, start }: RecordedSpan,
): void {
  const within = parent == null ? ROOT_CONTEXT : contextOf(parent);
  tracer?.startSpan(name, { kind, attributes, startTime: start }, within).end();
}

/** Starts a step that does not end with a promise, such as a generator. @returns a function that ends it */
export function startStep(name: string, attributes: Attributes): (error?: unknown) => void {
  if (!isRecording()) return () => undefined;
  const span = tracer?.startSpan(name, { attributes });
  return (error) => {
    if (span !== undefined && error != null) failed(span, error);
    span?.end();
  };
}

export interface OpenSpanDescription extends SpanDescription {
  /** Whether the work stores or passes on its trace, so that it must be known even if it is not exported. */
  readonly isPassedOn: boolean;
}

/**
 * Runs work in a span that ends with a call of `end`.
 * @param run gets the span, and the function that ends it; undefined if nothing is recorded
 */
export function openSpan(
  name: string,
  { kind = SpanKind.INTERNAL, parent, attributes = {}, isPassedOn }: OpenSpanDescription,
  run: (open: { readonly span: Span; readonly end: () => void } | undefined) => void,
): void {
  if (tracer === undefined) return run(undefined);
  const within = parent == null ? ROOT_CONTEXT : contextOf(parent);
  const span = tracer.startSpan(name, { kind, attributes }, within);
  if (!span.isRecording() && !isPassedOn) return run(undefined);
  running += 1;
  const end = (): void => {
    span.end();
    leave();
  };
  context.with(trace.setSpan(within, span), () => run({ span, end }));
}

/** The active span as a W3C `traceparent`, to be passed on or stored; null if there is none. */
export function activeTraceparent(): string | null {
  const found = activeSpanContext();
  return found === undefined
    ? null
    : `00-${found.traceId}-${found.spanId}-${found.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The ids of the active span; undefined if there is none. */
export function activeSpanContext(): SpanContext | undefined {
  return running === 0 ? undefined : trace.getActiveSpan()?.spanContext();
}

/** W3C Trace Context: version, trace id, parent id, flags. Ids of all zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

function parsed(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16) & TraceFlags.SAMPLED, isRemote: true };
}

function contextOf(traceparent: string): Context {
  const parent = parsed(traceparent);
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}
