import { Controller, Get, Param, Req, Res, type ArgumentsHost, Catch, Inject, NotFoundException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { HttpAdapterHost } from '@nestjs/core';
import { Public } from '../../core/access/scope.decorator.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { RequestTrail } from '../../core/event-log/request-trail.js';
import { ErrorFilter } from '../../core/http/app/error.filter.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { WebApp } from './web-files.js';

/** Paths of the app's pages. All others return 404. */
const PAGES = [
  '/',
  'login',
  'register',
  'auth/register/invitation',
  'auth/password/reset',
  'auth/password/reset/confirm',
  'auth/email-confirmation',
  'my-work',
  'audit',
  'help/formats',
  'users',
  'server',
  ...[
    'projects',
    'tasks',
    'jobs',
    'cloudstorages',
    'models',
    'requests',
    'webhooks',
    'organizations',
    'account',
  ].flatMap((area) => [area, `${area}/*path`]),
];

/** Serves the web app: its page, and its files, whose names contain a hash so that browsers can cache them forever. */
@ApiExcludeController()
@Unversioned()
@Public({ throttled: false })
@Controller()
export class WebController {
  constructor(private readonly app: WebApp) {}

  @Get(PAGES)
  page(@Res() response: Response): Promise<void> {
    return this.app.sendPage(response);
  }

  @Get('assets/:name')
  async asset(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const asset = (await this.app.files()).asset(name, request.acceptsEncodings());
    if (asset === undefined) throw new NotFound();
    response.setHeader('Content-Type', asset.type);
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Content-Encoding', asset.encoding);
    response.setHeader('Content-Length', asset.content.length);
    response.end(asset.content);
  }
}

/** Responds to unknown paths: with the app's own page in browsers, with the usual error otherwise. */
@Catch(NotFoundException)
export class UnknownPageFilter extends ErrorFilter {
  constructor(
    host: HttpAdapterHost,
    @Inject(LOGGER) log: Logger,
    trail: RequestTrail,
    private readonly app: WebApp,
  ) {
    super(host, log, trail);
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
