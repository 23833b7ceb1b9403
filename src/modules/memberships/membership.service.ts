import { Injectable } from '@nestjs/common';
import { organizationFacts } from '../../core/access/organization-context.js';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Forbidden, Invalid, NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page-request.js';
import type { Actor, Role } from '../../shared/policy/actor.js';
import { membershipPolicy, type MembershipScope } from '../../shared/policy/membership.policy.js';
import { type OrganizationDto, OrganizationService } from '../organizations/index.js';
import {
  type MembershipDto,
  type MembershipRow,
  toMembership,
  type TransferDto,
  type UpdateMembershipDto,
} from './membership.dto.js';
import { membershipScope } from './membership.events.js';
import { MEMBERSHIP_COLUMNS, membershipList, MembershipRepository } from './membership.repository.js';

/** Changes memberships and records the events, for this module and for invitations. */
@Injectable()
export class MembershipChanges {
  constructor(
    private readonly rows: MembershipRepository,
    private readonly events: Events,
    private readonly cascades: Cascades,
  ) {}

  @BeforeDeleting('user')
  async onDeletionOfUsers(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    const rows = await this.rows.ofUsers(tx, ids);
    for (const row of rows) await this.recordDeletion(tx, actor, toMembership(row, new Urls(actor.baseUrl)));
  }

  /** Inserts an inactive membership. @throws a unique violation if the user already has one */
  async add(tx: Tx, actor: Actor, userId: number, organizationId: number, role: Role): Promise<number> {
    const id = await this.rows.insert(tx, userId, organizationId, role);
    const created = await this.read(tx, actor, id);
    await this.events.created(tx, actor, 'membership', { object: created, scope: membershipScope(created) });
    return id;
  }

  async activate(tx: Tx, actor: Actor, id: number): Promise<void> {
    const before = await this.read(tx, actor, id);
    await this.rows.activate(tx, id, tx.now);
    await this.recordUpdate(tx, actor, before, await this.read(tx, actor, id));
  }

  /** @param role undefined: changes nothing, but records the event */
  async changeRole(tx: Tx, actor: Actor, id: number, role: Role | undefined): Promise<MembershipDto> {
    const before = await this.read(tx, actor, id);
    if (role !== undefined) await this.rows.changeRole(tx, id, role);
    const after = await this.read(tx, actor, id);
    await this.recordUpdate(tx, actor, before, after);
    return after;
  }

  /** Deletes a membership and its invitation. */
  async remove(tx: Tx, actor: Actor, id: number): Promise<void> {
    await this.recordDeletion(tx, actor, await this.read(tx, actor, id));
    await this.rows.delete(tx, id);
  }

  private async recordUpdate(tx: Tx, actor: Actor, before: MembershipDto, after: MembershipDto): Promise<void> {
    await this.events.updated(tx, actor, 'membership', { before, after, scope: membershipScope(after) });
  }

  private async recordDeletion(tx: Tx, actor: Actor, membership: MembershipDto): Promise<void> {
    await this.cascades.run(tx, { resource: 'membership', ids: [membership.id], actor });
    await this.events.deleted(tx, actor, 'membership', { object: membership, scope: membershipScope(membership) });
  }

  private async read(db: Queryable, actor: Actor, id: number): Promise<MembershipDto> {
    const row = await this.rows.find(db, id);
    if (row === undefined) throw NotFound.of('Membership');
    return toMembership(row, new Urls(actor.baseUrl));
  }
}

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
