import { Module } from '@nestjs/common';
import { MembershipsModule } from '../memberships/index.js';
import { UsersModule } from '../users/index.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationQueries } from './invitation.queries.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';
import { Invitations } from './invitations.js';
import { InviteService } from './invite.service.js';

/** How people come into organizations. */
@Module({
  imports: [MembershipsModule, UsersModule],
  controllers: [InvitationController],
  providers: [InvitationService, InviteService, InvitationQueries, InvitationRepository, Invitations],
})
export class InvitationsModule {}
