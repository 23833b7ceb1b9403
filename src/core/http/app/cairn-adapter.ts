import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type RequestHandler, type Response, type Router } from 'express';
import { etagOf, isSingleObject, namesEtag } from '../conditional/preconditions.js';
import { carryingRequest } from '../request/request-context.js';

/** Headers are short, so a connection that takes longer is closed. */
const HEADERS_MS = 10_000;

/**
 * A client that sends no byte of its body for this long, or up to twice as long, counts as gone. Chunked uploads can be
 * resumed.
 */
export const bodyPause = { ms: 60_000 };

const REQUEST_TIMEOUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/**
 * Express with the contract's response format: JSON with exactly the negotiated content type (Express would add a
 * charset), JSON strings as JSON, empty responses without a content type, and single objects with an entity tag.
 * Handlers of methods that can change something carry their request.
 */
export class CairnAdapter extends ExpressAdapter {
  /** Renders what a handler returned in the version of the request; may return a promise. */
  represent: (request: Request, body: unknown) => unknown = (_, body) => body;

  private readonly routers = new Map<string, Router>();

  /** Node checks every 30 seconds for connections with incomplete headers. A client could hold many of them open. */
  override initHttpServer(): void {
    this.httpServer = createServer(
      { connectionsCheckingInterval: 2_000, headersTimeout: HEADERS_MS },
      this.getInstance(),
    ).prependListener('request', closeAfterPause);
  }

  override get(...route: unknown[]): unknown {
    return this.register('get', route);
  }

  override head(...route: unknown[]): unknown {
    return this.register('head', route);
  }

  override options(...route: unknown[]): unknown {
    return this.register('options', route);
  }

  override post(...route: unknown[]): unknown {
    return this.register('post', route);
  }

  override put(...route: unknown[]): unknown {
    return this.register('put', route);
  }

  override patch(...route: unknown[]): unknown {
    return this.register('patch', route);
  }

  override delete(...route: unknown[]): unknown {
    return this.register('delete', route);
  }

  /** All routers, in which routes are registered. */
  get allRouters(): readonly Router[] {
    return [this.getInstance<Express>().router, ...this.routers.values()];
  }

  /**
   * Express compares a path with each route in turn, which took 13 % of the time of a read behind 250 routes. So the
   * routes of each resource (`/api/tasks`) have their own router.
   */
  private register(method: Method, [path, bare]: unknown[]): unknown {
    const handler = carriesRequest(method) ? carryingRequest(bare as RequestHandler) : (bare as RequestHandler);
    const app = this.getInstance<Express>();
    const resource = resourceOf(path as string);
    if (resource === undefined) return app[method](path as string, handler);
    if (this.routers.size === 0) app.use(this.route);
    const router = this.routers.get(resource) ?? express.Router({ strict: true, caseSensitive: true });
    this.routers.set(resource, router);
    return router[method](path as string, handler);
  }

  private readonly route: RequestHandler = (request, response, next) => {
    const router = this.routers.get(resourceOf(request.path) ?? '');
    if (router === undefined) next();
    else router(request, response, next);
  };

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (body instanceof StreamableFile) return super.reply(response, body, statusCode);
    if (response.statusCode >= 400 || Buffer.isBuffer(body)) return this.send(response, body); // an error, or a stored response
    const rendered = this.represent(response.req, body);
    if (!(rendered instanceof Promise)) return this.send(response, rendered);
    return rendered.then((content) => this.send(response, content));
  }

  private send(response: Response, body: unknown): unknown {
    if (body === undefined || response.statusCode === 204) return endEmpty(response);
    const content = Buffer.isBuffer(body) ? body : JSON.stringify(body);
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/vnd.cvat+json');
    if (isReading(response) && isSingleObject(body) && isKnown(response, etagOf(content))) {
      response.status(304);
      return endEmpty(response);
    }
    response.setHeader('Content-Length', Buffer.byteLength(content));
    return response.end(content); // text is sent in one piece with the headers
  }
}

/** A body may take any time, as long as data keeps arriving. */
function closeAfterPause(request: IncomingMessage, response: ServerResponse): void {
  const { headers, socket } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  let read = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    // Buffered data means that the server, not the client, is slow.
    if (socket.bytesRead === read && request.readableLength === 0) {
      if (!response.headersSent) socket.write(REQUEST_TIMEOUT);
      socket.destroySoon();
    }
    read = socket.bytesRead;
  }, bodyPause.ms).unref();
  request.once('close', () => clearInterval(timer));
}

type Method = 'get' | 'head' | 'options' | 'post' | 'put' | 'patch' | 'delete';

const carriesRequest = (method: Method): boolean => !['get', 'head', 'options'].includes(method);

/** The first two segments of a path below `/api`. */
const resourceOf = (path: string): string | undefined => /^\/api\/[^/:*]+/.exec(path)?.[0];

function endEmpty(response: Response): unknown {
  response.removeHeader('Content-Type');
  response.setHeader('Content-Length', '0');
  return response.end();
}

/** Handlers that set their own tag have already compared it. */
const isReading = (response: Response): boolean =>
  response.statusCode === 200 && ['GET', 'HEAD'].includes(response.req.method) && !response.hasHeader('ETag');

/** Sets the tag, and returns whether the client already has the object. */
function isKnown(response: Response, etag: string): boolean {
  response.setHeader('ETag', etag);
  const known = response.req.headers['if-none-match'];
  return known !== undefined && namesEtag(known, etag);
}
