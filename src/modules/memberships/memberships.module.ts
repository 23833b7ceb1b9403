import { Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { OrganizationsModule } from '../organizations/index.js';
import { MembershipController } from './membership.controller.js';
import { MembershipDto } from './membership.dto.js';
import { MembershipEvents } from './membership.events.js';
import { MembershipRepository } from './membership.repository.js';
import { MembershipService } from './membership.service.js';
import { Memberships } from './memberships.js';
import { TransferController } from './transfer.controller.js';
import { TransferService } from './transfer.service.js';

declareEvents({
  resource: 'membership',
  object: MembershipDto,
  operations: {
    create: 'Somebody is invited into an organization',
    update: 'An invitation is accepted, or the role of a member changes',
    delete: 'A member leaves or is removed, declines, or their account is deleted',
  },
  ofProjects: [],
});

/** Who belongs to which organization, in which role. */
@Module({
  imports: [OrganizationsModule],
  controllers: [MembershipController, TransferController],
  providers: [MembershipService, MembershipRepository, MembershipEvents, Memberships, TransferService],
  exports: [Memberships],
})
export class MembershipsModule {}
