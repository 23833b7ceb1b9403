import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

/**
 * Express with the contract's way of answering: JSON with exactly the negotiated content type (Express would add a
 * charset), JSON strings as JSON, an empty answer without a content type.
 */
export class CairnAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (statusCode !== undefined) response.statusCode = statusCode;
    if (body instanceof StreamableFile) return super.reply(response, body, statusCode);
    if (body === undefined || response.statusCode === 204) {
      response.removeHeader('Content-Type');
      response.setHeader('Content-Length', '0');
      return response.end();
    }
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/vnd.cvat+json');
    response.setHeader('Content-Length', bytes.length);
    return response.end(bytes);
  }
}
