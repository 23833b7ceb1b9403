import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.js';
import { MembershipChanges, MembershipService, TransferService } from './membership.service.js';
import { MembershipController, TransferController } from './membership.controller.js';
import { MembershipRepository } from './membership.repository.js';

export { MembershipChanges } from './membership.service.js';
export { ROLES } from './membership.dto.js';

/** Who belongs to which organization, in which role. */
@Module({
  imports: [OrganizationsModule],
  controllers: [MembershipController, TransferController],
  providers: [MembershipService, MembershipRepository, MembershipChanges, TransferService],
  exports: [MembershipChanges],
})
export class MembershipsModule {}
