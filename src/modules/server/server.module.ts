import { Module } from '@nestjs/common';
import { HealthService } from './health.service.js';
import { ServerController } from './server.controller.js';

@Module({ controllers: [ServerController], providers: [HealthService], exports: [HealthService] })
export class ServerModule {}
