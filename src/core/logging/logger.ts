import cluster from 'node:cluster';
import { type DynamicModule, Global, type LoggerService, Module } from '@nestjs/common';
import { type DestinationStream, pino } from 'pino';
import { activeSpanContext } from '../../engines/tracing/tracing.js';
import { currentRequest } from '../http/request/request-context.js';
import { requestId } from '../http/request/request-id.js';

export type Logger = pino.Logger;

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

/**
 * Writes JSON lines and removes secrets by field name. Messages logged while a request that may change something is
 * handled have its id as `request`, the `X-Request-Id` of the response. If traces are exported, messages logged within a
 * span have its ids. Processes of a group add their `pid`.
 * @param destination default: standard error
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: cluster.isWorker ? { pid: process.pid } : null,
      mixin: () => {
        const response = currentRequest()?.res;
        return { ...(response === undefined ? {} : { request: requestId(response) }), ...traceIds() };
      },
      serializers: { err: describeError },
      redact: {
        paths: [
          'password',
          '*.password',
          'secret',
          '*.secret',
          'authorization',
          '*.authorization',
          '*.cookie',
          'token',
          '*.token',
        ],
        censor: '[hidden]',
      },
    },
    destination,
  );
}

function traceIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = activeSpanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/** An error without the request and response that HTTP clients attach: their headers and bodies contain secrets. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const hidden = { config: undefined, request: undefined, response: undefined };
  return { ...pino.stdSerializers.err(error), ...hidden };
}

/** Parts of the framework that log the errors they throw. The start reports these errors itself, in one sentence. */
const STARTUP_CONTEXTS = new Set<unknown>(['ExceptionHandler', 'TypeOrmModule']);

/** Writes Nest's messages to the same log, its start-up messages at debug level. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  write(level: 'debug' | 'error' | 'warn' | 'trace', message: unknown, context: readonly unknown[]): void {
    this.target[level]({ context: context.at(-1) }, String(message));
  }

  log(message: unknown, ...context: unknown[]): void {
    this.write('debug', message, context);
  }

  error(message: unknown, ...context: unknown[]): void {
    this.write(STARTUP_CONTEXTS.has(context.at(-1)) ? 'debug' : 'error', message, context);
  }

  warn(message: unknown, ...context: unknown[]): void {
    this.write('warn', message, context);
  }

  debug(message: unknown, ...context: unknown[]): void {
    this.write('trace', message, context);
  }
}

@Global()
@Module({})
export class LoggingModule {
  static of(log: Logger): DynamicModule {
    return { module: LoggingModule, providers: [{ provide: LOGGER, useValue: log }], exports: [LOGGER] };
  }
}
