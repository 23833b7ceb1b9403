import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import type { Actor, Role } from '../../shared/policy/actor.js';
import { type MembershipDto, toMembership } from './membership.dto.js';
import { membershipScope } from './membership.events.js';
import { MembershipRepository } from './membership.repository.js';

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
