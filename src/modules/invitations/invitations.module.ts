import { Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { MembershipsModule } from '../memberships/index.js';
import { UsersModule } from '../users/index.js';
import { InvitationController } from './invitation.controller.js';
import { InvitationDto } from './invitation.dto.js';
import { InvitationEvents } from './invitation.events.js';
import { InvitationQueries } from './invitation.queries.js';
import { InvitationRepository } from './invitation.repository.js';
import { InvitationService } from './invitation.service.js';
import { Invitations } from './invitations.js';
import { InviteService } from './invite.service.js';

declareEvents({
  resource: 'invitation',
  object: InvitationDto,
  operations: {
    create: 'Somebody is invited; the membership is told of before',
    delete: 'An invitation is withdrawn, declined, or goes with its membership or organization',
  },
  ofProjects: [],
});

/** How people come into organizations. */
@Module({
  imports: [MembershipsModule, UsersModule],
  controllers: [InvitationController],
  providers: [InvitationService, InviteService, InvitationQueries, InvitationRepository, InvitationEvents, Invitations],
})
export class InvitationsModule {}
