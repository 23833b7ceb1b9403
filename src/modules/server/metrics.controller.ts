import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../config/config.js';
import { identityOf } from '../../core/access/current-actor.decorator.js';
import { Public } from '../../core/access/scope.decorator.js';
import { Forbidden } from '../../core/http/errors.js';
import { Metrics } from '../../core/metrics/metrics.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { isAdmin } from '../../shared/policy/actor.js';

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
    if (!this.mayLook(request)) throw new Forbidden('Metrics are for administrators (METRICS_ACCESS).');
    const text = await this.metrics.text();
    response.setHeader('Content-Type', this.metrics.contentType).setHeader('Cache-Control', 'no-store').end(text);
  }

  private mayLook(request: Request): boolean {
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
