import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

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
