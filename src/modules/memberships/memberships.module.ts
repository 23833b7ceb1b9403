import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.js';
import { MembershipController } from './membership.controller.js';
import { MembershipRepository } from './membership.repository.js';
import { MembershipService } from './membership.service.js';
import { Memberships } from './memberships.js';
import { TransferController } from './transfer.controller.js';
import { TransferService } from './transfer.service.js';

/** Who belongs to which organization, in which role. */
@Module({
  imports: [OrganizationsModule],
  controllers: [MembershipController, TransferController],
  providers: [MembershipService, MembershipRepository, Memberships, TransferService],
  exports: [Memberships],
})
export class MembershipsModule {}
