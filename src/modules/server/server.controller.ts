import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../config/config.js';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { baseUrlOf } from '../../core/http/base-url.js';
import { slashed } from '../../core/http/trailing-slash.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { exportFormats, importFormats } from '../../engines/annotations/formats/registry.js';
import { HealthService, isHealthy } from './health.service.js';
import { AboutDto, FormatsDto, HealthCheckDto, PluginsDto } from './server.dto.js';
import { CLIENT_VERSION, packageVersion } from './version.js';

const HEALTH = {
  'application/json': { schema: { $ref: getSchemaPath(HealthCheckDto) } },
  'text/html': { schema: { type: 'string' } },
} as const;

@ApiTags('server')
@Controller('api/server')
export class ServerController {
  constructor(
    @Inject(HealthService) private readonly health: HealthService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('about')
  @ApiOperation({ summary: 'What server this is' })
  @Public()
  @ApiOkResponse({ type: AboutDto })
  about(@Req() request: Request): AboutDto {
    return {
      name: 'Cairn',
      description: `Cairn ${packageVersion()} keeps projects, tasks, images and annotations of computer-vision teams, and tells other systems of every change.`,
      version: CLIENT_VERSION,
      logo_url: `${baseUrlOf(request, this.config.publicUrl)}/static/logo.svg`,
      subtitle: 'Annotation management in one command',
    };
  }

  @Get('plugins')
  @ApiOperation({ summary: 'Optional parts of the server' })
  @Scope('server:view')
  @ApiOkResponse({ type: PluginsDto })
  plugins(): PluginsDto {
    return { GIT_INTEGRATION: false, ANALYTICS: false, MODELS: false, PREDICT: false };
  }

  @Get('annotation/formats')
  @ApiOperation({ summary: 'Annotation formats' })
  @Scope('server:view')
  @ApiOkResponse({ type: FormatsDto, description: 'The formats that can really be imported and exported' })
  formats(): FormatsDto {
    return {
      importers: importFormats.all.map(({ info }) => info),
      exporters: exportFormats.all.map(({ info }) => info),
    };
  }

  @Get(slashed('health'))
  @Public({ throttled: false })
  @Unversioned()
  @ApiOperation({ summary: 'Whether the server works; a page, or JSON when asked for by `format` or `Accept`' })
  @ApiQuery({ name: 'format', required: false, type: String, description: '`json`; other texts have no effect' })
  @ApiQuery({ name: 'details', required: false, type: String, description: 'With `true` JSON also says what waits' })
  @ApiExtraModels(HealthCheckDto)
  @ApiResponse({ status: 200, description: 'Everything works', content: HEALTH })
  @ApiResponse({ status: 500, description: 'Something does not work', content: HEALTH })
  async checkHealth(
    @Req() request: Request,
    @Query('format') format: string | undefined,
    @Query('details') wanted: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const health = await this.health.check();
    response.status(isHealthy(health) ? 200 : 500).setHeader('Cache-Control', 'no-store');
    const details = wanted === 'true' ? { details: await this.health.waiting() } : {};
    if (format === 'json' || /\bjson\b/.test(request.headers.accept ?? '')) {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ ...health, ...details }));
      return;
    }
    const rows = Object.entries(health).map(([name, state]) => `<tr><th>${name}</th><td>${state}</td></tr>`);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><title>Health</title><h1>Health</h1><table>${rows.join('')}</table></html>`,
    );
  }
}
