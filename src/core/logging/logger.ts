import { type LoggerService } from '@nestjs/common';
import { pino } from 'pino';

export type Logger = pino.Logger;

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

/** JSON lines on standard error; secrets that may hang on an object are cut out by name. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
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
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Parts of the framework that log what they throw as well. Whoever started the process is told in one sentence. */
const TOLD_BY_THE_START = new Set<unknown>(['ExceptionHandler', 'TypeOrmModule']);

/** Nest's own messages in the same log, its start-up chatter at debug level. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  write(level: 'debug' | 'error' | 'warn' | 'trace', message: unknown, context: readonly unknown[]): void {
    this.target[level]({ context: context.at(-1) }, String(message));
  }

  log(message: unknown, ...context: unknown[]): void {
    this.write('debug', message, context);
  }

  error(message: unknown, ...context: unknown[]): void {
    this.write(TOLD_BY_THE_START.has(context.at(-1)) ? 'debug' : 'error', message, context);
  }

  warn(message: unknown, ...context: unknown[]): void {
    this.write('warn', message, context);
  }

  debug(message: unknown, ...context: unknown[]): void {
    this.write('trace', message, context);
  }
}
