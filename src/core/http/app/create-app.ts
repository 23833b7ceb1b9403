import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type RequestHandler, type Response } from 'express';
import type { Config } from '../../../config/config.js';
import { isTracing } from '../../../engines/tracing/tracing.js';
import { traceRequests } from '../../tracing/trace-requests.js';
import { measureRequests, Metrics } from '../../metrics/metrics.js';
import type { Logger } from '../../logging/logger.js';
import { NestLog } from '../../logging/nest-log.js';
import { ResponseVersion } from '../../versioning/response-version.js';
import { bodyLimits } from '../body/body.js';
import { CairnAdapter } from './cairn-adapter.js';
import { installFallback } from './fallback.js';
import { OpenRequests } from './open-requests.js';
import { commonHeaders } from '../request/request-id.js';
import { gzipSync } from 'node:zlib';
import compression from 'compression';

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
  const version = app.get(ResponseVersion);
  adapter.represent = (request, body) => version.render(request, body);
  bodyLimits.json = config.limits.jsonBytes;
  bodyLimits.annotations = config.limits.annotationBytes;
  if (isTracing()) app.use(traceRequests());
  app.use(app.get(OpenRequests).track);
  app.use(measureRequests(app.get(Metrics)));
  app.use(commonHeaders);
  app.use(compressed());
  installFallback(app, adapter);
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

/** Minimum size for compressing a response. */
const COMPRESS_FROM_BYTES = 200;

/**
 * Up to this size, the main thread compresses synchronously. This takes half the work of a stream and does not wait for
 * the thread pool.
 */
const AT_ONCE_BYTES = 32_768;

/** Compresses streams and long responses if the client accepts it. Other responses are not wrapped. */
export function compressed(): RequestHandler {
  const compress = compression({ threshold: COMPRESS_FROM_BYTES, filter: isCompressible });
  return (request, response, next) => {
    if (request.headers['accept-encoding'] === undefined) return next();
    compress(request, response, () => {
      compressAtOnce(response);
      next();
    });
  };
}

/** Middleware that overrides `end` later, to store the response, receives it uncompressed. */
function compressAtOnce(response: Response): void {
  const end = response.end.bind(response) as (...values: unknown[]) => Response;
  response.end = ((content: unknown, ...rest: unknown[]) => {
    if (!isFit(response, content)) return end(content, ...rest);
    const sent = gzipSync(content);
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Content-Length', sent.length);
    return end(sent, ...rest);
  }) as typeof response.end;
}

/** Whether this is a complete short response that the client accepts compressed. */
function isFit(response: Response, content: unknown): content is string | Buffer {
  if (response.headersSent || (typeof content !== 'string' && !Buffer.isBuffer(content))) return false;
  const length = Buffer.byteLength(content);
  if (length < COMPRESS_FROM_BYTES || length > AT_ONCE_BYTES || response.req.method === 'HEAD') return false;
  if (response.hasHeader('Content-Encoding') || !isCompressible(response.req, response)) return false;
  return response.req.acceptsEncodings('gzip') !== false;
}

/** JPEGs and archives of them do not become smaller. */
function isCompressible(_request: unknown, response: { getHeader(name: string): unknown }): boolean {
  const type = response.getHeader('Content-Type');
  return typeof type === 'string' && /json|text|xml|yaml|javascript|svg/.test(type);
}
