import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { LOGGER, type Logger } from '../logging/logger.js';
import { ApiError, NotFound } from './errors.js';
import { requestId } from './request-id.js';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);
/** PostgreSQL: connection failures, shutdowns and a database that is not there (it may be being restored). */
const DATABASE_AWAY = /^(08|57P0|53300|3D000|ECONN|ENOENT|EPIPE|ETIMEDOUT)/;
/** PostgreSQL: what a client can cause and a rule did not catch first. */
const BAD_VALUE = new Set([
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

/** Renders every error once. What is not known is a 500 with the request id and no detail; the log has the rest. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.render(error, host);
  }

  /** Answers with the error. */
  protected render(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const request = host.switchToHttp().getRequest<Request>();
    if (response.writableEnded) return; // the process is failing, and this request has its response
    if (response.headersSent) {
      this.log.warn({ err: error, request: requestId(response) }, 'an answer broke off');
      response.destroy();
      return;
    }
    const known = this.known(error, request, response);
    response.setHeader('Content-Type', known.text ? 'text/html; charset=utf-8' : 'application/vnd.cvat+json');
    for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
    const body = known.text ? Buffer.from(String(known.body)) : known.body;
    this.host.httpAdapter.reply(response, body, known.status);
  }

  private known(error: unknown, request: Request, response: Response): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof HttpException) return fromNest(error);
    const { code = '' } = (error ?? {}) as { code?: string };
    if (DISK_FULL.has(code)) {
      this.log.error({ err: error, request: requestId(response) }, 'the disk is full');
      return new ApiError(507, { detail: 'The server has no space left to store this.' });
    }
    if (
      DATABASE_AWAY.test(code) ||
      /Connection terminated|timeout exceeded when trying to connect/.test(String(error))
    ) {
      this.log.error({ err: error, request: requestId(response) }, 'the database is away');
      return new ApiError(503, { detail: 'The database is not available at the moment. Try again shortly.' });
    }
    this.log.error(
      { err: error, request: requestId(response), method: request.method, url: request.path },
      'request failed',
    );
    if (BAD_VALUE.has(code)) return new ApiError(400, { detail: 'A value in the request cannot be stored.' });
    return new ApiError(500, { detail: 'Internal server error.', request_id: requestId(response) });
  }
}

function fromNest(error: HttpException): ApiError {
  const status = error.getStatus();
  return status === 404 ? new NotFound() : new ApiError(status, { detail: error.message });
}
