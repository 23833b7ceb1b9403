import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/index.js';
import { PresenceController } from './presence.controller.js';
import { PresenceRepository } from './presence.repository.js';
import { PresenceService } from './presence.service.js';

/** Shows people who work in the same job to each other. */
@Module({ imports: [JobsModule], controllers: [PresenceController], providers: [PresenceRepository, PresenceService] })
export class PresenceModule {}
