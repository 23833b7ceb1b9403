import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { context, diag, DiagLogLevel } from '@opentelemetry/api';
import type { Config } from '../../config/config.js';
import { packageVersion } from '../../config/version.js';
import { useTracer } from '../../engines/tracing/tracing.js';
import type { Logger } from '../logging/logger.js';

/** While the collector is unavailable, the exporter fails every few seconds. */
const WARN_EVERY_MS = 60_000;

/** Exports what is still buffered, and stops. */
export type StopTracing = () => Promise<void>;

/**
 * Starts exporting spans if a collector is configured. Only then are the OpenTelemetry SDK and its exporter loaded. They
 * read the other standard variables, such as `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_TRACES_SAMPLER`, themselves.
 * @param role what this process does, as an attribute of its spans
 */
export async function startTracing({ tracing }: Config, role: string, log: Logger): Promise<StopTracing> {
  if (tracing === null) return () => Promise.resolve();
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, sdk] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      tracing.protocol === 'http/json'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
    ]);
  const resource = sdk
    .resourceFromAttributes({
      'service.name': tracing.serviceName,
      'service.version': packageVersion(),
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
      'cairn.role': role,
    })
    .merge(sdk.detectResources({ detectors: [sdk.envDetector] }));
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter({ url: tracing.url }))];
  const provider = new BasicTracerProvider({ resource, spanProcessors });
  diag.setLogger(warnings(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const contexts = new AsyncLocalStorageContextManager();
  context.setGlobalContextManager(contexts);
  useTracer(provider.getTracer('cairn', packageVersion()), () => contexts.disable()); // the next span enables it again
  return async () => {
    useTracer(undefined);
    await provider.shutdown().catch((error: unknown) => log.warn({ err: error }, 'cannot export the last traces'));
    context.disable();
    diag.disable();
  };
}

function warnings(log: Logger): Parameters<typeof diag.setLogger>[0] {
  let lastAt = -Infinity;
  const warn = (message: string): void => {
    const now = performance.now();
    if (now - lastAt < WARN_EVERY_MS) return;
    lastAt = now;
    log.warn({ reason: message.slice(0, 500) }, 'cannot export traces');
  };
  const ignore = (): void => undefined;
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}
