import { type DynamicModule, Global, type LoggerService, Module } from '@nestjs/common';
import { type DestinationStream, pino } from 'pino';
import { currentRequest } from '../http/request/request-context.js';
import { requestId } from '../http/request/request-id.js';

export type Logger = pino.Logger;

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

/**
 * Writes JSON lines and removes secrets by field name. Messages logged while a request that may change something is
 * handled have its id as `request`, the `X-Request-Id` of the response.
 * @param destination default: standard error
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: null,
      mixin: () => {
        const response = currentRequest()?.res;
        return response === undefined ? {} : { request: requestId(response) };
      },
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
