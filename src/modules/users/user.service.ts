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
  BasicUserChangeDto,
  entryOfUser,
  GROUPS,
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
      userList,
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
    const change = actor.isStaff ? readStaffChange(body) : readOwnChange(body);
    if (change.username !== undefined && change.username !== before.username)
      await this.changes.requireFreeName(tx, change.username, id);
    const changes = toAssignments(change);
    if (changes.length > 0) await tx.query(sql`update app_user set ${join(changes, ', ')} where id = ${id}`);
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

/** Whether the user can give permissions to others. */
const isAdministrator = (user: UserRow): boolean => user.is_active && user.is_staff && user.groups.includes('admin');

function readStaffChange(body: Unvalidated<UserChangeDto>): UserChangeDto {
  const change = body.validate();
  const unknown = change.groups?.find((name) => !GROUPS.some((group) => group === name));
  if (unknown !== undefined) throw new Invalid({ groups: [`Object with name=${unknown} does not exist.`] });
  return change;
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
    groups: groups === undefined ? undefined : GROUPS.filter((group) => groups.includes(group)),
    is_staff,
    is_superuser,
    is_active,
  });
}
