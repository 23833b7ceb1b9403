import { type ArgumentsHost, Catch, Inject, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { ErrorFilter } from '../../core/http/error.filter.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { WebApp } from './web-files.js';

/** Responds to unknown paths: with the app's own page in browsers, with the usual error otherwise. */
@Catch(NotFoundException)
export class UnknownPageFilter extends ErrorFilter {
  constructor(
    host: HttpAdapterHost,
    @Inject(LOGGER) log: Logger,
    private readonly app: WebApp,
  ) {
    super(host, log);
  }

  override catch(error: unknown, host: ArgumentsHost): void {
    if (isOfBrowser(host.switchToHttp().getRequest<Request>())) void this.show(error, host);
    else this.render(error, host);
  }

  private async show(error: unknown, host: ArgumentsHost): Promise<void> {
    try {
      await this.app.sendPage(host.switchToHttp().getResponse<Response>(), 404);
    } catch {
      this.render(error, host); // the app is not built
    }
  }
}

const isOfBrowser = ({ method, path, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !/^\/(api|assets)(\/|$)/.test(path) &&
  (headers.accept ?? '').includes('text/html');
