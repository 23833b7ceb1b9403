import { Injectable } from '@nestjs/common';
import { organizationFacts } from '../../core/access/organization-facts.js';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Forbidden, NotFound, Invalid } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page.dto.js';
import type { Actor } from '../../shared/policy/actor.js';
import { membershipPolicy, type MembershipScope } from '../../shared/policy/membership.policy.js';
import { type OrganizationDto, OrganizationService } from '../organizations/index.js';
import {
  type MembershipDto,
  type UpdateMembershipDto,
  type MembershipRow,
  toMembership,
  type TransferDto,
} from './membership.dto.js';
import { MembershipChanges } from './membership.changes.js';
import { MEMBERSHIP_COLUMNS, membershipList, MembershipRepository } from './membership.repository.js';

@Injectable()
export class MembershipService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly lists: ListService,
    private readonly rows: MembershipRepository,
    private readonly changes: MembershipChanges,
    private readonly preconditions: Preconditions,
  ) {}

  async list(actor: Actor, query: Record<string, unknown>): Promise<Page<MembershipDto>> {
    if (!membershipPolicy.mayList(actor)) throw new Forbidden();
    const urls = new Urls(actor.baseUrl);
    return this.lists.page(
      membershipList,
      {
        select: MEMBERSHIP_COLUMNS,
        visible: membershipPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/memberships`,
      },
      (row: MembershipRow) => toMembership(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<MembershipDto> {
    const row = await this.require(this.db, actor, id, 'view');
    return toMembership(row, new Urls(actor.baseUrl));
  }

  async update(actor: Actor, id: number, body: Unvalidated<UpdateMembershipDto>): Promise<MembershipDto> {
    return this.work.run(async (tx) => {
      const row = await this.require(tx, actor, id, body.has('role') ? 'change:role' : 'view', body);
      await this.preconditions.require(tx, 'membership', toMembership(row, new Urls(actor.baseUrl)));
      return this.changes.changeRole(tx, actor, id, body.validate().role);
    });
  }

  async delete(actor: Actor, id: number): Promise<void> {
    await this.work.run(async (tx) => {
      const row = await this.require(tx, actor, id, 'delete');
      await this.preconditions.require(tx, 'membership', toMembership(row, new Urls(actor.baseUrl)));
      await this.changes.remove(tx, actor, id);
    });
  }

  /** @param body of a PATCH: fields other than the role are refused like a missing permission */
  private async require(
    db: Queryable,
    actor: Actor,
    id: number,
    scope: MembershipScope,
    body?: Unvalidated<UpdateMembershipDto>,
  ): Promise<MembershipRow> {
    const row = await this.rows.findWithFacts(db, id, actor.id, db !== this.db);
    const organization = row === undefined ? null : organizationFacts(row);
    if (row === undefined || organization === null) throw NotFound.of('Membership');
    if (Object.keys(body?.raw ?? {}).some((key) => key !== 'role')) {
      throw new Forbidden('Attempted to update an unknown field');
    }
    const facts = { userId: row.member_id, role: row.role, isActive: row.is_active, organization };
    requireAll(membershipPolicy, [scope], actor, facts);
    return row;
  }
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
