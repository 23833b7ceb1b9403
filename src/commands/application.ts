import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { createLogger } from '../core/logging/logger.js';
import { NestLog } from '../core/logging/nest-log.js';
import { withDatabase } from './database.js';

/** Uses the application's services without serving requests or running background work. */
export function withApplication<T>(use: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  return withDatabase(async ({ config, extensions }) => {
    const log = createLogger(config.logLevel);
    const module = AppModule.of(config, log, extensions);
    const app = await NestFactory.createApplicationContext(module, { logger: new NestLog(log), abortOnError: false });
    try {
      return await use(app);
    } finally {
      await app.close();
    }
  });
}
