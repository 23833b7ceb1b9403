import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { PlainError } from '../../core/http/errors.js';
import { WebFiles } from './web-files.js';

const NOT_BUILT = 'The app in the browser is not built: run "npm run build" and start the server again.';

/** The app in the browser, as it was built. Its page is never kept by browsers. */
@Injectable()
export class WebApp {
  private read: Promise<WebFiles | null> | undefined;

  /** @throws PlainError 503 before the build */
  async files(): Promise<WebFiles> {
    this.read ??= WebFiles.read();
    const files = await this.read;
    if (files !== null) return files;
    this.read = undefined; // it may be built while the server runs
    throw new PlainError(503, NOT_BUILT);
  }

  /** @throws PlainError 503 before the build */
  async sendPage(response: Response, status = 200): Promise<void> {
    const { html, policy } = (await this.files()).index();
    response.statusCode = status;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cache-Control', 'no-cache');
    response.end(html);
  }
}
