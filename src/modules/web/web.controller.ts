import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../core/access/scope.decorator.js';
import { NotFound } from '../../core/http/errors.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
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
  ...['projects', 'tasks', 'jobs', 'cloudstorages', 'requests', 'webhooks', 'organizations', 'account'].flatMap(
    (area) => [area, `${area}/*path`],
  ),
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
