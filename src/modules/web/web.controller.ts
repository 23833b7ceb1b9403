import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../core/access/scope.decorator.js';
import { NotFound, PlainError } from '../../core/http/errors.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { WebFiles } from './web-files.js';

/** Addresses that the app shows pages for. Every other one stays unknown. */
const PAGES = [
  '/',
  'login',
  'register',
  'auth/register/invitation',
  'auth/password/reset',
  'auth/password/reset/confirm',
  ...['projects', 'tasks', 'jobs', 'requests', 'webhooks', 'organizations', 'account'].flatMap((area) => [
    area,
    `${area}/*path`,
  ]),
];
const NOT_BUILT = 'The app in the browser is not built: run "npm run build" and start the server again.';

/** The app in the browser. Its page is never kept by browsers; its files have their hash in the name and always are. */
@ApiExcludeController()
@Unversioned()
@Public({ throttled: false })
@Controller()
export class WebController {
  private files: Promise<WebFiles | null> | undefined;

  @Get(PAGES)
  async page(@Res() response: Response): Promise<void> {
    const { html, policy } = (await this.built()).index();
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cache-Control', 'no-cache');
    response.end(html);
  }

  @Get('assets/:name')
  async asset(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const asset = (await this.built()).asset(name, request.acceptsEncodings());
    if (asset === undefined) throw new NotFound();
    response.setHeader('Content-Type', asset.type);
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Content-Encoding', asset.encoding);
    response.setHeader('Content-Length', asset.content.length);
    response.end(asset.content);
  }

  private async built(): Promise<WebFiles> {
    this.files ??= WebFiles.read();
    const files = await this.files;
    if (files !== null) return files;
    this.files = undefined; // it may be built while the server runs
    throw new PlainError(503, NOT_BUILT);
  }
}
