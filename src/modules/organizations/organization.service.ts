import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, isUniqueViolation, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { Cascades } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import { assignments, join, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { organizationPolicy, type OrganizationScope } from '../../shared/policy/organization.policy.js';
import {
  type CreateOrganizationDto,
  type OrganizationDto,
  toOrganization,
  type UpdateOrganizationDto,
} from './organization.dto.js';
import { organizationScope } from './organization.events.js';
import { OrganizationRepository } from './organization.repository.js';

const NO_FACTS = { ownerId: null, role: null, isKnown: false };

@Injectable()
export class OrganizationService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly organizations: OrganizationRepository,
    private readonly events: Events,
    private readonly cascades: Cascades,
    private readonly preconditions: Preconditions,
  ) {}

  get(actor: Actor, id: number): Promise<OrganizationDto> {
    return this.require(this.db, actor, id, 'view');
  }

  async create(actor: Actor, body: Unvalidated<CreateOrganizationDto>): Promise<OrganizationDto> {
    requireAll(organizationPolicy, ['create'], actor, NO_FACTS);
    const dto = body.validate();
    return this.withUniqueSlug(async (tx) => {
      const id = await this.organizations.insert(tx, {
        slug: dto.slug,
        name: dto.name ?? dto.slug,
        description: dto.description ?? '',
        contact: dto.contact ?? {},
        ownerId: actor.id,
        now: tx.now,
      });
      const created = await this.read(tx, actor, id);
      await this.events.created(tx, actor, 'organization', { object: created, scope: organizationScope(created) });
      return created;
    });
  }

  async update(actor: Actor, id: number, body: Unvalidated<UpdateOrganizationDto>): Promise<OrganizationDto> {
    return this.withUniqueSlug(async (tx) => {
      const before = await this.require(tx, actor, id, 'update');
      await this.preconditions.require(tx, 'organization', before);
      const { slug, name, description, contact } = body.validate();
      const changes = assignments({
        updated_date: tx.now,
        slug,
        name,
        description,
        contact: contact === undefined ? undefined : JSON.stringify(contact),
      });
      await tx.query(sql`update organization set ${join(changes, ', ')} where id = ${id}`);
      const after = await this.read(tx, actor, id);
      await this.events.updated(tx, actor, 'organization', { before, after, scope: organizationScope(after) });
      return after;
    });
  }

  async delete(actor: Actor, id: number): Promise<void> {
    await this.work.run(async (tx) => {
      const before = await this.require(tx, actor, id, 'delete');
      await this.preconditions.require(tx, 'organization', before);
      await this.cascades.run(tx, { resource: 'organization', ids: [id], actor });
      await this.events.deleted(tx, actor, 'organization', { object: before, scope: organizationScope(before) });
      await tx.query(sql`delete from organization where id = ${id}`);
    });
  }

  /** Transfers the organization and records the event. @param before as returned by `require` */
  async setOwner(tx: Tx, actor: Actor, before: OrganizationDto, ownerId: number): Promise<OrganizationDto> {
    await tx.query(sql`
      update organization set owner_id = ${ownerId}, updated_date = ${tx.now} where id = ${before.id}`);
    const after = await this.read(tx, actor, before.id);
    await this.events.updated(tx, actor, 'organization', { before, after, scope: organizationScope(after) });
    return after;
  }

  /**
   * Reads the organization, and unless `scope` is view, locks it until the transaction ends.
   * @throws NotFound, also if the actor may not know that the organization exists; Forbidden
   */
  async require(db: Queryable, actor: Actor, id: number, scope: OrganizationScope): Promise<OrganizationDto> {
    const found = await this.organizations.findWithFacts(db, id, actor.id, scope !== 'view');
    if (found === undefined || !organizationPolicy.allow('view', actor, found.facts)) throw NotFound.of('Organization');
    requireAll(organizationPolicy, [scope], actor, found.facts);
    return toOrganization(found.row, new Urls(actor.baseUrl));
  }

  private async read(db: Queryable, actor: Actor, id: number): Promise<OrganizationDto> {
    const row = await this.organizations.find(db, id);
    if (row === undefined) throw NotFound.of('Organization');
    return toOrganization(row, new Urls(actor.baseUrl));
  }

  private async withUniqueSlug<T>(change: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.work.run(change);
    } catch (error) {
      if (!isUniqueViolation(error, 'ix_organization_slug')) throw error;
      throw new Invalid({ slug: ['organization with this slug already exists.'] });
    }
  }
}
