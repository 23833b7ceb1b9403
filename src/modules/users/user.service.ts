import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type Unvalidated, validated } from '../../core/http/body/body.js';
import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { ListService } from '../../core/list/list.service.js';
import { Cascades } from '../../core/events/cascades.js';
import type { Page } from '../../core/list/page-request.js';
import { assignments, join, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, type OrganizationFacts } from '../../shared/policy/actor.js';
import { userPolicy } from '../../shared/policy/user.policy.js';
import {
  accountList,
  BasicUserChangeDto,
  entryOfUser,
  readGroups,
  USER_COLUMNS,
  UserChangeDto,
  type UserDto,
  userList,
  type UserRow,
  viewOfUser,
} from './user.dto.js';
import { UserChanges } from './user.changes.js';

const RESTRICTED = ['is_staff', 'is_superuser', 'groups'];
const OWN_FIELDS = new Set(['url', 'id', 'username', 'first_name', 'last_name']);

@Injectable()
export class UserService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly lists: ListService,
    private readonly cascades: Cascades,
    private readonly changes: UserChanges,
    private readonly preconditions: Preconditions,
  ) {}

  async list(actor: Actor, query: Record<string, unknown>): Promise<Page<UserDto>> {
    requireAll(userPolicy, ['list'], actor, { id: null, isMember: false });
    const visible = userPolicy.visible(actor);
    const url = `${actor.baseUrl}/api/users`;
    return this.lists.page(
      actor.isStaff ? accountList : userList,
      { select: USER_COLUMNS, visible, organization: 'any', query, url },
      (row: UserRow) => entryOfUser(row, actor),
    );
  }

  async get(actor: Actor, id: number): Promise<UserDto> {
    const row = await this.changes.find(this.db, id);
    requireAll(userPolicy, ['view'], actor, { id, isMember: await this.isMember(contextOrganization(actor), id) });
    return viewOfUser(row, actor);
  }

  async update(actor: Actor, id: number, body: Unvalidated<UserChangeDto>): Promise<UserDto> {
    return this.work.run((tx) => this.change(tx, actor, id, body));
  }

  async delete(actor: Actor, id: number): Promise<void> {
    await this.work.run(async (tx) => {
      const user = await this.changes.find(tx, id, true);
      requireAll(userPolicy, ['delete'], actor, { id, isMember: false });
      await this.preconditions.require(tx, 'user', viewOfUser(user, actor));
      if (isAdministrator(user)) await this.requireOtherAdministrator(tx, id);
      await this.cascades.run(tx, { resource: 'user', ids: [id], actor });
      await this.changes.recordDeletion(tx, actor, user);
      await tx.query(sql`delete from app_user where id = ${id}`);
    });
  }

  private async isMember(organization: OrganizationFacts | null, id: number): Promise<boolean> {
    if (organization === null) return false;
    const found = await this.db.query(sql`
      select 1 from membership where user_id = ${id} and organization_id = ${organization.id}`);
    return found.length > 0;
  }

  private async change(tx: Tx, actor: Actor, id: number, body: Unvalidated<UserChangeDto>): Promise<UserDto> {
    const before = await this.changes.find(tx, id, true);
    requireAll(userPolicy, ['update'], actor, { id, isMember: false });
    await this.preconditions.require(tx, 'user', viewOfUser(before, actor));
    const change = actor.isStaff ? withAdminGroup(before, readStaffChange(body)) : readOwnChange(body);
    if (id === actor.id) requireOwnRights(before, change);
    if (change.username !== undefined && change.username !== before.username)
      await this.changes.requireFreeName(tx, change.username, id);
    const changes = toAssignments(change);
    if (changes.length > 0) await tx.query(sql`update app_user set ${join(changes, ', ')} where id = ${id}`);
    if (change.is_active !== undefined && change.is_active !== before.is_active)
      await endLogins(tx, id, change.is_active);
    const after = await this.changes.recordUpdate(tx, { by: actor, baseUrl: actor.baseUrl }, before);
    if (isAdministrator(before) && !isAdministrator(after)) await this.requireOtherAdministrator(tx, id);
    return entryOfUser(after, actor);
  }

  /** Locks another administrator, so that two administrators cannot demote each other at the same time. */
  private async requireOtherAdministrator(tx: Tx, id: number): Promise<void> {
    const others = await tx.query(sql`
      select 1 from app_user where is_active and is_staff and 'admin' = any(groups) and id <> ${id}
      order by id limit 1 for update`);
    if (others.length === 0)
      throw new InvalidList('This is the last active administrator. Make another user an administrator first.');
  }
}

/**
 * A disabled account is refused anyway. Without this, its sessions, its login token, and its links to set a password would
 * be valid again as soon as the account is enabled. Until then the token stays, because the contract says of it that the
 * user is inactive.
 */
async function endLogins(tx: Tx, userId: number, isEnabled: boolean): Promise<void> {
  await tx.query(sql`delete from session where user_id = ${userId}`);
  if (isEnabled) await tx.query(sql`delete from api_token where user_id = ${userId}`);
  else await tx.query(sql`update app_user set disabled_date = ${tx.now} where id = ${userId}`);
}

/** Whether the user can give permissions to others. */
const isAdministrator = (user: UserRow): boolean => user.is_active && user.is_staff && user.groups.includes('admin');

/** Users cannot lock themselves out by mistake; the app does not offer it either. @throws Invalid that names the fields */
function requireOwnRights(before: UserRow, change: UserChangeDto): void {
  const disable = 'You cannot disable your own account. Ask another administrator.';
  const demote = 'You cannot remove your own administrator rights. Ask another administrator.';
  const losesGroup = before.groups.includes('admin') && change.groups?.includes('admin') === false;
  const problems = {
    ...(change.is_active === false ? { is_active: [disable] } : {}),
    ...(before.is_staff && change.is_staff === false ? { is_staff: [demote] } : {}),
    ...(before.is_superuser && change.is_superuser === false ? { is_superuser: [demote] } : {}),
    ...(losesGroup ? { groups: [demote] } : {}),
  };
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

function readStaffChange(body: Unvalidated<UserChangeDto>): UserChangeDto {
  const { groups, ...change } = body.validate();
  return groups === undefined ? change : { ...change, groups: readGroups(groups) };
}

/**
 * As in CVAT, becoming both staff and a superuser gives the group `admin`, unless the change sets the groups. The group
 * alone gives neither: it decides about permissions, the two flags about what clients see.
 */
function withAdminGroup(before: UserRow, change: UserChangeDto): UserChangeDto {
  const { groups, is_staff = before.is_staff, is_superuser = before.is_superuser } = change;
  const isSet = change.is_staff !== undefined || change.is_superuser !== undefined;
  if (groups !== undefined || !isSet || !is_staff || !is_superuser) return change;
  return { ...change, groups: readGroups(['admin', ...before.groups]) };
}

/** Users who are not staff can only change their names. Other fields are refused rather than ignored. */
function readOwnChange(body: Unvalidated<UserChangeDto>): UserChangeDto {
  const change = validated(BasicUserChangeDto, body.raw);
  const unknown = Object.keys(body.raw).filter((key) => !OWN_FIELDS.has(key));
  if (unknown.length === 0) return change;
  const shown = `{${unknown.map((key) => `'${key}'`).join(', ')}}`;
  const text = unknown.some((key) => RESTRICTED.includes(key))
    ? `You do not have permissions to access some of these fields: ${shown}`
    : `Got unknown fields: ${shown}`;
  throw new Invalid({ non_field_errors: [text] });
}

function toAssignments(change: UserChangeDto): Sql[] {
  const { username, first_name, last_name, email, groups, is_staff, is_superuser, is_active } = change;
  return assignments({
    username,
    first_name,
    last_name,
    email,
    email_verified: email === undefined ? undefined : true, // only staff change e-mail addresses
    groups,
    is_staff,
    is_superuser,
    is_active,
  });
}
