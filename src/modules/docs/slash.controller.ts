import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { slashed } from '../../core/http/trailing-slash.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import type { Actor } from '../../shared/policy/actor.js';

/** The few paths that end in a slash send those who forget it on; `/api/` itself says where to read. */
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
