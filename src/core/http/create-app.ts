import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import type { Config } from '../../config/config.js';
import { measureRequests } from '../metrics/measure-requests.js';
import { Metrics } from '../metrics/metrics.js';
import { type Logger, NestLog } from '../logging/logger.js';
import { bodyLimits } from './body.js';
import { CairnAdapter } from './cairn-adapter.js';
import { compressed } from './compression.js';
import { installFallback } from './fallback.js';
import { OpenRequests } from './open-requests.js';
import { commonHeaders } from './request-id.js';

/**
 * Creates the HTTP application without listening.
 * @param module the root module
 */
export async function createApp(module: Type | object, config: Config, log: Logger): Promise<NestExpressApplication> {
  const adapter = new CairnAdapter(strictExpress(config));
  const app = await NestFactory.create<NestExpressApplication>(module, adapter, {
    logger: new NestLog(log),
    bodyParser: false,
    abortOnError: false,
  });
  bodyLimits.json = config.limits.jsonBytes;
  bodyLimits.annotations = config.limits.annotationBytes;
  app.use(app.get(OpenRequests).track);
  app.use(measureRequests(app.get(Metrics)));
  app.use(commonHeaders);
  app.use(compressed());
  installFallback(app);
  return app;
}

/** Settings must be applied first: Express creates the router on first use and keeps the settings of that moment. */
function strictExpress(config: Config): Express {
  const app = express();
  app.set('strict routing', true);
  app.set('case sensitive routing', true);
  app.set('etag', false);
  app.set('x-powered-by', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', config.trustProxy);
  return app;
}
