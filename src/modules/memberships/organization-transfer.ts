import { Controller, HttpCode, Injectable, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { Invalid } from '../../core/http/errors.js';
import { IntField } from '../../core/http/fields.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import type { Actor } from '../../shared/policy/actor.js';
import { OrganizationDto, OrganizationService } from '../organizations/index.js';
import { MembershipChanges } from './membership.changes.js';
import { MembershipRepository } from './membership.repository.js';

export class TransferDto {
  @IntField({ min: 1, description: 'The new owner. Must be an active member.' }) user_id!: number;
}

/** Transfers organizations: changes the organization and both memberships in one transaction. */
@Injectable()
export class TransferService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly organizations: OrganizationService,
    private readonly rows: MembershipRepository,
    private readonly memberships: MembershipChanges,
  ) {}

  transfer(actor: Actor, id: number, body: Unvalidated<TransferDto>): Promise<OrganizationDto> {
    return this.work.run(async (tx) => {
      const before = await this.organizations.require(tx, actor, id, 'transfer');
      const { user_id: newOwnerId } = body.validate();
      const oldOwnerId = before.owner?.id ?? 0;
      if (newOwnerId === oldOwnerId) throw new Invalid({ user_id: ['This user already owns the organization.'] });
      const members = await this.rows.lockOf(tx, id, [newOwnerId, oldOwnerId]);
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

@ApiTags('organizations')
@Controller('api/organizations')
export class TransferController {
  constructor(private readonly transfers: TransferService) {}

  @Post(':id/transfer')
  @HttpCode(200)
  @Scope('organization:transfer')
  @ApiOperation({ summary: 'Transfer an organization to another member. The previous owner becomes a maintainer.' })
  @ApiOkResponse({ type: OrganizationDto })
  transfer(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(TransferDto) body: Unvalidated<TransferDto>,
  ): Promise<OrganizationDto> {
    return this.transfers.transfer(actor, id, body);
  }
}
