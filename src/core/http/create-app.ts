import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type Express, type RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { measureRequests } from '../metrics/measure-requests.js';
import { Metrics } from '../metrics/metrics.js';
import { type Logger, NestLog } from '../logging/logger.js';
import { bodyLimits } from './body.js';
import { CairnAdapter } from './cairn-adapter.js';
import { installFallback } from './fallback.js';
import { commonHeaders } from './request-id.js';

/** From this size on answers are compressed when the client asks for it. */
const COMPRESS_FROM_BYTES = 200;

/**
 * The HTTP application, not yet listening.
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
  app.use(measureRequests(app.get(Metrics)));
  app.use(commonHeaders);
  app.use(compressed());
  installFallback(app);
  return app;
}

/** Settings come before anything else: the router is made at its first use and keeps the ones of that moment. */
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

/** Compresses for those who ask; the others' answers are not even wrapped. */
function compressed(): RequestHandler {
  const compress = compression({ threshold: COMPRESS_FROM_BYTES, filter: isCompressible });
  return (request, response, next) => {
    if (request.headers['accept-encoding'] === undefined) next();
    else compress(request, response, next);
  };
}

/** JPEGs and archives of them do not get smaller. */
function isCompressible(_request: unknown, response: { getHeader(name: string): unknown }): boolean {
  const type = response.getHeader('Content-Type');
  return typeof type === 'string' && /json|text|xml|yaml|javascript|svg/.test(type);
}
