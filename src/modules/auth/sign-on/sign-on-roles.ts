import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import type { GroupRule } from '../../../config/group-mapping.js';
import { Actors } from '../../../core/access/actors.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { sql } from '../../../engines/sql/sql.js';
import type { Actor, Role } from '../../../shared/policy/actor.js';
import { MembershipChanges } from '../../memberships/index.js';
import { type AccountChange, UserChanges } from '../../users/index.js';
import { entitlements, unknownOrganizations } from './group-rules.js';

interface MembershipRow {
  readonly organization_id: number;
  readonly slug: string;
  readonly id: number | null;
  readonly role: Role | null;
  readonly is_active: boolean | null;
}

/** Applies the rules for groups of an identity provider or a directory at each login. */
@Injectable()
export class SignOnRoles {
  constructor(
    private readonly db: Db,
    private readonly users: UserChanges,
    private readonly memberships: MembershipChanges,
    private readonly actors: Actors,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Logs the organizations that rules name and that do not exist. Logins skip their rules until somebody creates them. */
  async warnOfUnknownOrganizations(): Promise<void> {
    const find = (slugs: readonly string[]): Promise<{ slug: string }[]> =>
      this.db.query<{ slug: string }>(sql`select slug from organization where slug = any(${slugs})`);
    for (const { setting, unknown } of await unknownOrganizations(this.config, find))
      if (unknown.length > 0)
        this.log.warn({ organizations: unknown }, `${setting} names organizations that do not exist`);
  }

  async apply(
    tx: Tx,
    change: AccountChange,
    userId: number,
    rules: readonly GroupRule[],
    memberOf: readonly string[],
  ): Promise<void> {
    const { groups, roles } = entitlements(rules, memberOf);
    if (groups !== null) await this.setGroups(tx, change, userId, groups);
    if (roles.size === 0) return;
    const actor = await this.actors.load(tx, userId, change.baseUrl);
    if (actor === null) return;
    for (const row of await this.membershipsOf(tx, userId, [...roles.keys()]))
      await this.setRole(tx, actor, row, roles.get(row.slug) ?? null);
  }

  private async setGroups(tx: Tx, change: AccountChange, userId: number, groups: readonly string[]): Promise<void> {
    const before = await this.users.find(tx, userId, true);
    const isAdmin = groups.includes('admin');
    const isSame = before.groups.join() === groups.join() && before.is_staff === isAdmin;
    if (isSame && before.is_superuser === isAdmin) return;
    if (!isAdmin && before.is_staff && !(await this.hasOtherAdministrator(tx, userId))) {
      this.log.warn({ user: userId }, 'the last administrator keeps the role, although no group gives it');
      return;
    }
    await tx.query(sql`
      update app_user set groups = ${[...groups]}, is_staff = ${isAdmin}, is_superuser = ${isAdmin} where id = ${userId}`);
    await this.users.recordUpdate(tx, change, before);
  }

  /** Locks another administrator, so that two cannot lose the role at the same time. */
  private async hasOtherAdministrator(tx: Tx, userId: number): Promise<boolean> {
    const others = await tx.query(sql`
      select 1 from app_user where is_active and is_staff and 'admin' = any(groups) and id <> ${userId}
      order by id limit 1 for update`);
    return others.length > 0;
  }

  /** Owners keep their role: only a transfer changes it. */
  private async setRole(tx: Tx, actor: Actor, row: MembershipRow, role: Role | null): Promise<void> {
    if (row.role === 'owner') return;
    if (role === null) {
      if (row.id !== null) await this.memberships.remove(tx, actor, row.id);
      return;
    }
    const id = row.id ?? (await this.memberships.add(tx, actor, actor.id, row.organization_id, role));
    if (row.is_active !== true) await this.memberships.activate(tx, actor, id);
    if (row.role !== null && row.role !== role) await this.memberships.changeRole(tx, actor, id, role);
  }

  /** The existing organizations with these slugs, each with the membership of the user, if there is one. */
  private membershipsOf(tx: Tx, userId: number, slugs: readonly string[]): Promise<MembershipRow[]> {
    return tx.query<MembershipRow>(sql`
      select organization.id as organization_id, organization.slug, membership.id, membership.role, membership.is_active
      from organization left join membership
        on membership.organization_id = organization.id and membership.user_id = ${userId}
      where organization.slug = any(${[...slugs]}) order by organization.id`);
  }
}
