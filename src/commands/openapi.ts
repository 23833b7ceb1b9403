import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from '../app.module.js';
import { readConfig } from '../config/env.js';
import { type Extension, loadExtensions } from '../core/extensions/load-extensions.js';
import { createLogger } from '../core/logging/logger.js';
import { describeApi, documentText } from '../modules/docs/index.js';

/**
 * Creates the document without a running server: modules are scanned but not instantiated, and no database is needed.
 */
export async function openapiText(format: 'json' | 'yaml', extensions: readonly Extension[] = []): Promise<string> {
  const module = AppModule.of(readConfig({}), createLogger('silent'), extensions);
  const app = await NestFactory.create<NestExpressApplication>(module, { preview: true, logger: false });
  return documentText(describeApi(app), format);
}

/** Prints the OpenAPI document, including the extensions. */
export async function openapi(format: 'json' | 'yaml'): Promise<void> {
  const extensions = await loadExtensions(readConfig({ CAIRN_EXTENSIONS: process.env['CAIRN_EXTENSIONS'] }).extensions);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error; // the reader, such as `head`, has closed the pipe
  });
  process.stdout.write(await openapiText(format, extensions));
}
