import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../app.module.js';
import { readConfig } from '../config/env.js';
import { createLogger } from '../core/logging/logger.js';
import { describeApi, documentText } from '../modules/docs/index.js';

/** The document without a running server: the modules are scanned, nothing is instantiated, no database is needed. */
export async function openapiText(format: 'json' | 'yaml'): Promise<string> {
  const module = AppModule.of(readConfig({}), createLogger('silent'));
  const app = await NestFactory.create<NestExpressApplication>(module, { preview: true, logger: false });
  return documentText(describeApi(app), format);
}

/** Prints the OpenAPI document. */
export async function openapi(format: 'json' | 'yaml'): Promise<void> {
  process.stdout.write(await openapiText(format));
}
