import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { MediaStorageFull, MediaStorageUnavailable } from '../../../engines/media/media-error.js';
import { DatabaseUnavailable } from '../../database/database-client.js';
import { RequestTrail } from '../../event-log/request-trail.js';
import { LOGGER, type Logger } from '../../logging/logger.js';
import { ApiError, ClientGone, NotFound, StorageFull, Unavailable } from '../errors/errors.js';
import { requestId } from '../request/request-context.js';

/** Error codes of the operating system. */
const DISK_FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** PostgreSQL's error code. */
const DATABASE_DISK_FULL = '53100';
/** PostgreSQL's codes for invalid values from clients that validation did not catch. */
const BAD_VALUE: ReadonlySet<unknown> = new Set([
  '22P02',
  '22003',
  '22001',
  '22021',
  '22P05',
  '22007',
  '22008',
  '23502',
  '23503',
  '23505',
  '23514',
]);

/**
 * Renders every error in one place. Unknown errors are a 500 with the request id and no detail; the log has the
 * details.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly trail: RequestTrail,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.render(error, host);
  }

  /** Sends the error response. */
  protected render(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const request = host.switchToHttp().getRequest<Request>();
    if (response.writableEnded) return; // the process is failing, and this request already has its response
    if (response.headersSent) {
      if (!(error instanceof ClientGone))
        this.log.warn({ err: error, request: requestId(response) }, 'a response was cut off');
      response.destroy();
      return;
    }
    const known = this.known(error, request, response);
    if (!(known instanceof ClientGone)) this.trail.rejected(request, known, error);
    response.setHeader('Content-Type', known.text ? 'text/html; charset=utf-8' : 'application/vnd.cvat+json');
    for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
    const body = known.text ? Buffer.from(String(known.body)) : known.body;
    this.host.httpAdapter.reply(response, body, known.status);
  }

  private known(error: unknown, request: Request, response: Response): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof HttpException) return fromNest(error);
    const cause = error instanceof QueryFailedError ? error.driverError : error;
    if (cause instanceof DatabaseUnavailable) {
      this.log.error({ err: error, request: requestId(response) }, 'the database is unavailable');
      return new Unavailable('The database is not available at the moment. Try again shortly.');
    }
    if (error instanceof MediaStorageUnavailable) {
      this.log.error({ err: error, request: requestId(response) }, 'the media storage is unavailable');
      return new Unavailable('The media storage is not available at the moment. Try again shortly.');
    }
    if (error instanceof MediaStorageFull) {
      this.log.error({ err: error, request: requestId(response) }, 'the media storage is full');
      return new StorageFull();
    }
    if (isDiskFull(cause)) {
      this.log.error({ err: error, request: requestId(response) }, 'the disk is full');
      return new StorageFull();
    }
    this.log.error(
      { err: error, request: requestId(response), method: request.method, url: request.path },
      'request failed',
    );
    if (cause instanceof pg.DatabaseError && BAD_VALUE.has(cause.code))
      return new ApiError(400, { detail: 'A value in the request cannot be stored.' });
    return new ApiError(500, { detail: 'Internal server error.', request_id: requestId(response) });
  }
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.code === DATABASE_DISK_FULL
    : error instanceof Error && 'code' in error && DISK_FULL.has(error.code);

function fromNest(error: HttpException): ApiError {
  const status = error.getStatus();
  return status === 404 ? new NotFound() : new ApiError(status, { detail: error.message });
}
