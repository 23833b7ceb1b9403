import { Module } from '@nestjs/common';
import { HealthService } from './health.service.js';
import { MetricsController } from './metrics.controller.js';
import { ServerController } from './server.controller.js';
import { SiteController } from './site.controller.js';

@Module({
  controllers: [ServerController, SiteController, MetricsController],
  providers: [HealthService],
  exports: [HealthService],
})
export class ServerModule {}
