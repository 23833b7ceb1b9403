import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { isMember } from '../../process-group/membership.js';
import { SLOTS_DESCRIPTOR, SlotWriter } from '../../process-group/slots.js';
import { requestId } from '../request/request-context.js';

/** A request that was open when the process failed. */
export interface FailedRequest {
  readonly request: string;
  readonly method: string;
  readonly path: string;
}

/** Node.js warns of a leak above this number. While a slow client reads a compressed stream, there are more than ten. */
const MAX_LISTENERS = 20;

/** Tracks the requests without a complete response. */
@Injectable()
export class OpenRequests {
  private readonly responses = new Set<Response>();
  private refuseMore = false;
  /** Shows the supervisor what this process was doing when it froze. */
  private readonly slots = isMember() ? new SlotWriter(SLOTS_DESCRIPTOR) : undefined;

  /** Middleware. */
  readonly track = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.refuseMore) return refuse(response);
    // Metrics, traces, compression and the streams that feed it all wait for the end of a response.
    response.setMaxListeners(MAX_LISTENERS);
    this.responses.add(response);
    const end = this.slots?.begin(`${response.req.method} ${response.req.path}`);
    response.once('close', () => {
      this.responses.delete(response);
      end?.();
    });
    next();
  };

  /**
   * Responds to all open requests with 500, disconnects those whose response has begun, and refuses new ones.
   * @returns the open requests
   */
  failAll(): FailedRequest[] {
    this.refuseMore = true;
    const failed = [...this.responses].filter(({ writableEnded }) => !writableEnded);
    for (const response of failed) fail(response);
    return failed.map((response) => {
      const { method, path } = response.req;
      return { request: requestId(response), method, path };
    });
  }
}

function fail(response: Response): void {
  if (response.headersSent) response.destroy();
  else end(response, 500, { detail: 'Internal server error.', request_id: requestId(response) });
}

function refuse(response: Response): void {
  response.setHeader('Retry-After', '5');
  end(response, 503, { detail: 'The server is restarting. Try again shortly.' });
}

function end(response: Response, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/vnd.cvat+json');
  response.setHeader('Connection', 'close');
  response.end(JSON.stringify(body));
}
