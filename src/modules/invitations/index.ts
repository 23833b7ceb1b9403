import { Module } from '@nestjs/common';
import { MembershipsModule } from '../memberships/index.js';
import { UsersModule } from '../users/index.js';
import { InvitationChanges, InvitationService } from './invitation.service.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationCreation } from './invitation.create.js';
import { InvitationRepository } from './invitation.repository.js';

/** How people come into organizations. */
@Module({
  imports: [MembershipsModule, UsersModule],
  controllers: [InvitationController],
  providers: [InvitationService, InvitationCreation, InvitationChanges, InvitationRepository],
})
export class InvitationsModule {}
