import { Module } from '@nestjs/common';
import { HealthService } from './health.service.js';
import { MetricsController, ServerController, SiteController } from './server.controller.js';

@Module({
  controllers: [ServerController, SiteController, MetricsController],
  providers: [HealthService],
  exports: [HealthService],
})
export class ServerModule {}
export { HealthService, isHealthy } from './health.service.js';
