import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/outbox/cascades.js';
import type { Actor, Role } from '../../shared/policy/actor.js';
import type { MembershipDto } from './membership.dto.js';
import { MembershipEvents } from './membership.events.js';
import { toMembership } from './membership.mapper.js';
import { MembershipRepository } from './membership.repository.js';

/** Changes of memberships with the events that tell of them, for this module and for invitations. */
@Injectable()
export class Memberships {
  constructor(
    @Inject(MembershipRepository) private readonly memberships: MembershipRepository,
    @Inject(MembershipEvents) private readonly events: MembershipEvents,
    @Inject(Cascades) private readonly cascades: Cascades,
  ) {}

  @BeforeDeleting('user')
  async onDeletionOfUsers(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    const rows = await this.memberships.ofUsers(tx, ids);
    for (const row of rows) await this.tellDeletion(tx, actor, toMembership(row, new Urls(actor.baseUrl)));
  }

  /** Adds a membership that is not active yet. @throws a unique violation when there is one already */
  async add(tx: Tx, actor: Actor, userId: number, organizationId: number, role: Role): Promise<number> {
    const id = await this.memberships.insert(tx, userId, organizationId, role);
    await this.events.record(tx, 'create', actor, await this.read(tx, actor, id));
    return id;
  }

  async activate(tx: Tx, actor: Actor, id: number): Promise<void> {
    const before = await this.read(tx, actor, id);
    await this.memberships.activate(tx, id, tx.now);
    await this.events.record(tx, 'update', actor, await this.read(tx, actor, id), before);
  }

  /** @param role undefined to change nothing, which is told all the same */
  async changeRole(tx: Tx, actor: Actor, id: number, role: Role | undefined): Promise<MembershipDto> {
    const before = await this.read(tx, actor, id);
    if (role !== undefined) await this.memberships.changeRole(tx, id, role);
    const after = await this.read(tx, actor, id);
    await this.events.record(tx, 'update', actor, after, before);
    return after;
  }

  /** Ends a membership, with its invitation. */
  async remove(tx: Tx, actor: Actor, id: number): Promise<void> {
    await this.tellDeletion(tx, actor, await this.read(tx, actor, id));
    await this.memberships.delete(tx, id);
  }

  private async tellDeletion(tx: Tx, actor: Actor, membership: MembershipDto): Promise<void> {
    await this.cascades.run(tx, { resource: 'membership', ids: [membership.id], actor });
    await this.events.record(tx, 'delete', actor, membership);
  }

  private async read(db: Queryable, actor: Actor, id: number): Promise<MembershipDto> {
    const row = await this.memberships.find(db, id);
    if (row === undefined) throw NotFound.of('Membership');
    return toMembership(row, new Urls(actor.baseUrl));
  }
}
