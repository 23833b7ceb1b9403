import { Module } from '@nestjs/common';
import { MembershipController } from './membership.controller.js';
import { MembershipEvents } from './membership.events.js';
import { MembershipRepository } from './membership.repository.js';
import { MembershipService } from './membership.service.js';
import { Memberships } from './memberships.js';

/** Who belongs to which organization, in which role. */
@Module({
  controllers: [MembershipController],
  providers: [MembershipService, MembershipRepository, MembershipEvents, Memberships],
  exports: [Memberships],
})
export class MembershipsModule {}
