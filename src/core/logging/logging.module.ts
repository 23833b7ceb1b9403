import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOGGER, type Logger } from './logger.js';

@Global()
@Module({})
export class LoggingModule {
  static of(log: Logger): DynamicModule {
    return { module: LoggingModule, providers: [{ provide: LOGGER, useValue: log }], exports: [LOGGER] };
  }
}
