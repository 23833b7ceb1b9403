import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { activeTraceparent, isRecording, openSpan, traced, tracedStep, SpanKind, useTracer } from './tracing.js';

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  const contexts = new AsyncLocalStorageContextManager();
  let idle = 0;

  beforeEach(() => {
    idle = 0;
    exporter.reset();
    context.setGlobalContextManager(contexts);
  });
  afterEach(() => {
    useTracer(undefined);
    context.disable();
  });

  function start(sampler: AlwaysOnSampler | AlwaysOffSampler): void {
    const provider = new BasicTracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] });
    useTracer(provider.getTracer('test'), () => {
      idle += 1;
      contexts.disable();
    });
  }

  it('have the steps within them, until the last one ends and the async context is disabled', async () => {
    start(new AlwaysOnSampler());
    const one = traced('one', {}, async () => {
      await tracedStep('step', SpanKind.INTERNAL, {}, () => Promise.resolve());
      expect(isRecording()).toBe(true);
    });
    const two = traced('two', {}, () => one);
    await two;
    expect([idle, isRecording()]).toEqual([1, false]);
    await traced('three', {}, () => tracedStep('another step', SpanKind.INTERNAL, {}, () => Promise.resolve()));
    expect(idle).toBe(2);
    const parents = new Map(exporter.getFinishedSpans().map((span) => [span.spanContext().spanId, span.name]));
    const pairs = exporter
      .getFinishedSpans()
      .map((span) => [span.name, parents.get(span.parentSpanContext?.spanId ?? '')]);
    expect(pairs).toEqual(expect.arrayContaining([['step', 'one'], ['another step', 'three']])); // prettier-ignore
  });

  it('leave no async context behind when the work fails', async () => {
    start(new AlwaysOnSampler());
    await expect(traced('one', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect([idle, exporter.getFinishedSpans()[0]?.status.code]).toEqual([1, 2]);
  });

  it.each([
    ['that is not exported and not passed on run without async context', false, [undefined, null]],
    ['that is not exported but passed on keep their trace', true, [expect.anything(), expect.stringMatching(/-00$/)]],
  ])('%s', (_, isPassedOn, expected) => {
    start(new AlwaysOffSampler());
    openSpan('GET', { isPassedOn }, (open) => {
      expect([open, activeTraceparent()]).toEqual(expected);
      expect(isRecording()).toBe(false);
      open?.end();
    });
    expect(idle).toBe(isPassedOn ? 1 : 0);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
