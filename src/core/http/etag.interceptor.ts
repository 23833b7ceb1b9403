import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { etagOf, namesEtag } from './etag.js';

/** Gives single objects an entity tag, and answers 304 to who has them already. */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.method !== 'GET' && request.method !== 'HEAD') return next.handle();
    return next.handle().pipe(map((body: unknown) => tagged(body, request, http.getResponse<Response>())));
  }
}

function tagged(body: unknown, request: Request, response: Response): unknown {
  if (!isSingleObject(body) || response.headersSent) return body;
  const bytes = Buffer.from(JSON.stringify(body));
  const etag = etagOf(bytes);
  response.setHeader('ETag', etag);
  const known = request.headers['if-none-match'];
  if (known === undefined || !namesEtag(known, etag)) return bytes;
  response.status(304);
  return undefined;
}

const isSingleObject = (body: unknown): body is object =>
  typeof body === 'object' &&
  body !== null &&
  !Buffer.isBuffer(body) &&
  !Array.isArray(body) &&
  ('id' in body || 'uuid' in body || 'key' in body);
