import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import {
  ApiExcludeController,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
  ApiProperty,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../config/config.js';
import { packageVersion } from '../../config/version.js';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { baseUrlOf } from '../../core/http/request/base-url.js';
import { slashed } from '../../core/http/request/trailing-slash.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { exportFormats, importFormats } from '../../engines/annotations/formats/registry.js';
import { FRACTION } from '../../core/http/body/fields.js';
import { identityOf } from '../../core/access/current-actor.decorator.js';
import { Forbidden } from '../../core/http/errors/errors.js';
import { Metrics } from '../../core/metrics/metrics.js';
import { isAdmin } from '../../shared/policy/actor.js';
import { HealthService, isHealthy } from './health.service.js';

/** The official clients warn about servers of another version. */
const CLIENT_VERSION = '2.80.0';

class AboutDto {
  @ApiProperty({ maxLength: 128 }) name!: string;
  @ApiProperty({ maxLength: 2048 }) description!: string;
  @ApiProperty({ maxLength: 64, description: 'The CVAT client version that this server is compatible with' })
  version!: string;
  @ApiProperty({ format: 'uri' }) logo_url!: string;
  @ApiProperty({ maxLength: 1024 }) subtitle!: string;
}

class PluginsDto {
  @ApiProperty() GIT_INTEGRATION!: boolean;
  @ApiProperty() ANALYTICS!: boolean;
  @ApiProperty() MODELS!: boolean;
  @ApiProperty() PREDICT!: boolean;
}

class FormatDto {
  @ApiProperty() name!: string;
  @ApiProperty() ext!: string;
  @ApiProperty() version!: string;
  @ApiProperty() enabled!: boolean;
  @ApiProperty() dimension!: string;
}

class FormatsDto {
  @ApiProperty({ type: [FormatDto] }) importers!: FormatDto[];
  @ApiProperty({ type: [FormatDto] }) exporters!: FormatDto[];
}

class WaitingDto {
  @ApiProperty() waiting!: number;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Age of the oldest entry' }) oldest_seconds!: number | null;
}

@ApiExtraModels(WaitingDto)
class HealthCheckDto {
  @ApiProperty({ example: 'working' }) Database!: string;
  @ApiProperty({ example: 'working' }) Storage!: string;
  @ApiProperty({
    example: 'working',
    description: `Which listeners of events have not handled an event of more than a minute ago, and which have events in
      quarantine. Does not change the status.`,
  })
  Events!: string;
  @ApiProperty({
    example: 'working',
    description: 'Whether deliveries of webhooks are more than a minute late. Does not change the status.',
  })
  Deliveries!: string;
  @ApiProperty({
    type: Object,
    required: false,
    nullable: true,
    additionalProperties: { $ref: getSchemaPath(WaitingDto) },
    description: 'With `details=true`: the backlog by queue (`events`, `deliveries`, `due deliveries`, `requests`)',
  })
  details?: Readonly<Record<string, WaitingDto>> | null;
}

const HEALTH = {
  'application/json': { schema: { $ref: getSchemaPath(HealthCheckDto) } },
  'text/html': { schema: { type: 'string' } },
} as const;

@ApiTags('server')
@Controller('api/server')
export class ServerController {
  constructor(
    private readonly health: HealthService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('about')
  @ApiOperation({ summary: 'Get the name and version of the server' })
  @Public()
  @ApiOkResponse({ type: AboutDto })
  about(@Req() request: Request): AboutDto {
    return {
      name: 'Cairn',
      description: `Cairn ${packageVersion()} keeps projects, tasks, images and annotations of computer-vision teams, and notifies other systems of every change.`,
      version: CLIENT_VERSION,
      logo_url: `${baseUrlOf(request, this.config.publicUrl)}/static/logo.svg`,
      subtitle: 'Annotation management in one command',
    };
  }

  @Get('plugins')
  @ApiOperation({ summary: 'List optional features of the server' })
  @Scope('server:view')
  @ApiOkResponse({ type: PluginsDto })
  plugins(): PluginsDto {
    return { GIT_INTEGRATION: false, ANALYTICS: false, MODELS: true, PREDICT: false };
  }

  @Get('annotation/formats')
  @ApiOperation({ summary: 'List annotation formats' })
  @Scope('server:view')
  @ApiOkResponse({ type: FormatsDto, description: 'The formats that can be imported and exported' })
  formats(): FormatsDto {
    return {
      importers: importFormats.all.map(({ info }) => info),
      exporters: exportFormats.all.map(({ info }) => info),
    };
  }

  @Get(slashed('health'))
  @Public({ throttled: false })
  @Unversioned()
  @ApiOperation({
    summary: 'Check the health of the server. Returns a page, or JSON if `format` or `Accept` asks for it.',
  })
  @ApiQuery({ name: 'format', required: false, type: String, description: '`json`. Other values have no effect.' })
  @ApiQuery({
    name: 'details',
    required: false,
    type: String,
    description: 'If `true`, JSON also has the backlog of each queue',
  })
  @ApiExtraModels(HealthCheckDto)
  @ApiResponse({ status: 200, description: 'Requests can be processed', content: HEALTH })
  @ApiResponse({ status: 500, description: 'The database or the storage does not work', content: HEALTH })
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

/** A cairn: stones piled up to mark the way. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Cairn">
  <g fill="#3b5b6d"><ellipse cx="32" cy="52" rx="24" ry="8"/><ellipse cx="31" cy="38" rx="17" ry="7"/>
  <ellipse cx="33" cy="26" rx="12" ry="6"/><ellipse cx="32" cy="15" rx="7" ry="5"/></g>
</svg>
`;

/** Images that clients show for this server. */
@ApiExcludeController()
@Unversioned()
@Public({ throttled: false })
@Controller()
export class SiteController {
  @Get('static/logo.svg')
  logo(@Res() response: Response): void {
    response.setHeader('Content-Type', 'image/svg+xml').setHeader('Cache-Control', 'public, max-age=86400').end(LOGO);
  }
}

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Figures for Prometheus. */
@ApiExcludeController()
@Unversioned()
@Public({ throttled: false })
@Controller()
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws Forbidden */
  @Get('metrics')
  async text(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!this.mayReadMetrics(request)) throw new Forbidden('Only administrators can read metrics (METRICS_ACCESS).');
    const text = await this.metrics.text();
    response.setHeader('Content-Type', this.metrics.contentType).setHeader('Cache-Control', 'no-store').end(text);
  }

  private mayReadMetrics(request: Request): boolean {
    const { metricsAccess } = this.config;
    const actor = identityOf(request)?.actor;
    if (metricsAccess === 'all' || (actor !== undefined && isAdmin(actor))) return true;
    return metricsAccess === 'local' && isLocal(request);
  }
}

/** From this machine, and not handed on by a proxy on it. */
function isLocal({ socket, headers }: Request): boolean {
  return LOOPBACK.test(socket.remoteAddress ?? '') && !FORWARDED.some((name) => headers[name] !== undefined);
}
