import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { NotFound, PlainError } from '../../core/http/errors.js';
import { slashed } from '../../core/http/trailing-slash.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { packageVersion } from '../server/index.js';
import { VIEWER_POLICY, VIEWER_SCRIPT, type ViewerKind, viewerPage } from './viewer-page.js';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import type { Actor } from '../../shared/policy/actor.js';

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The files of the viewer, and their content types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const DAY_SECONDS = 86_400;

/** The API document in a viewer: `docs/` to read, `swagger/` to send requests. */
@ApiExcludeController()
@Controller('api')
@Unversioned()
export class DocsController {
  @Get(slashed('docs'))
  @Public()
  read(@Req() request: Request, @Res() response: Response): void {
    sendPage(request, response, 'read', 'assets/');
  }

  @Get(slashed('swagger'))
  @Public()
  try(@Req() request: Request, @Res() response: Response): void {
    sendPage(request, response, 'try', '../docs/assets/');
  }

  @Get('docs/assets/:name')
  @Public({ throttled: false })
  async asset(@Param('name') name: string, @Res() response: Response): Promise<void> {
    const content = name === 'viewer.js' ? VIEWER_SCRIPT : await viewerFile(name);
    response.setHeader('Content-Type', ASSETS[name] ?? 'text/javascript; charset=utf-8');
    response.setHeader('Cache-Control', `public, max-age=${DAY_SECONDS}`);
    response.end(content);
  }
}

async function viewerFile(name: string): Promise<Buffer> {
  if (!Object.hasOwn(ASSETS, name)) throw new NotFound();
  return readFile(join(folder, name));
}

function sendPage(request: Request, response: Response, kind: ViewerKind, assets: string): void {
  if (request.accepts('text/html') === false) {
    throw new PlainError(406, 'Could not satisfy the request Accept header.');
  }
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', VIEWER_POLICY);
  response.end(viewerPage(kind, assets, packageVersion()));
}

/** Redirects paths without their slash at the end. `/api/` itself links to the documents. */
@ApiExcludeController()
@Controller()
export class SlashController {
  @Get(['api', 'api/schema', 'api/swagger', 'api/docs', 'api/server/health'])
  @Public({ throttled: false })
  @Unversioned()
  addSlash(@Req() request: Request, @Res() response: Response): void {
    const query = request.originalUrl.slice(request.path.length);
    response.status(301).setHeader('Location', `${request.path}/${query}`);
    response.removeHeader('X-Request-Id');
    response.removeHeader('Content-Type');
    response.end();
  }

  @Get(slashed('api'))
  @Scope('server:view')
  index(@CurrentActor() { baseUrl }: Actor): Record<string, string> {
    return { docs: `${baseUrl}/api/docs/`, swagger: `${baseUrl}/api/swagger/`, schema: `${baseUrl}/api/schema/` };
  }
}
