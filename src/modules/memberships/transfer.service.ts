import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { Invalid } from '../../core/http/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type OrganizationDto, OrganizationService } from '../organizations/index.js';
import { MembershipRepository } from './membership.repository.js';
import { Memberships } from './memberships.js';
import type { TransferDto } from './transfer.dto.js';

/** Gives organizations to other owners: the organization and both memberships, in one commit. */
@Injectable()
export class TransferService {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(OrganizationService) private readonly organizations: OrganizationService,
    @Inject(MembershipRepository) private readonly repository: MembershipRepository,
    @Inject(Memberships) private readonly memberships: Memberships,
  ) {}

  transfer(actor: Actor, id: number, body: Unvalidated<TransferDto>): Promise<OrganizationDto> {
    return this.work.run(async (tx) => {
      const before = await this.organizations.require(tx, actor, id, 'transfer');
      const { user_id: newOwnerId } = body.validate();
      const oldOwnerId = before.owner?.id ?? 0;
      if (newOwnerId === oldOwnerId) throw new Invalid({ user_id: ['This person is the owner already.'] });
      const members = await this.repository.lockOf(tx, id, [newOwnerId, oldOwnerId]);
      const newMember = members.find((member) => member.userId === newOwnerId);
      const oldMember = members.find((member) => member.userId === oldOwnerId);
      if (newMember?.isActive !== true) throw new Invalid({ user_id: ['Only an active member can become the owner.'] });
      const after = await this.organizations.setOwner(tx, actor, before, newOwnerId);
      if (oldMember !== undefined) await this.memberships.changeRole(tx, actor, oldMember.id, 'maintainer');
      await this.memberships.changeRole(tx, actor, newMember.id, 'owner');
      return after;
    });
  }
}
