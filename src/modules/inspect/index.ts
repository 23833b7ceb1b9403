import { Module } from '@nestjs/common';
import { InspectController } from './inspect.controller.js';
import { InspectRepository } from './inspect.repository.js';
import { InspectService } from './inspect.service.js';

/** A receiver built into the server, for testing webhooks. */
@Module({ controllers: [InspectController], providers: [InspectRepository, InspectService] })
export class InspectModule {}
