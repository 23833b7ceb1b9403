import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import { Clock } from '../../../core/clock.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { ChangeLog } from '../../../core/event-log/change-log.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Forbidden, InvalidList, NotFound } from '../../../core/http/errors/errors.js';
import { Preconditions } from '../../../core/http/conditional/preconditions.js';
import { ListService } from '../../../core/list/list.service.js';
import type { Page } from '../../../core/list/page-request.js';
import { randomText } from '../../../core/random-text.js';
import { isoTime, microseconds } from '../../../core/wire-time.js';
import { assignments, join, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { type Actor, isAdmin } from '../../../shared/policy/actor.js';
import { senderOf, toBasicUser } from '../../users/index.js';
import { Urls } from '../../../core/http/response/urls.js';
import { type AccountRow, AccountsRepository, fingerprint } from '../accounts/accounts.repository.js';
import { bool, integer, type ListSpec, text, timestamp } from '../../../core/list/list-spec.js';
import { BoolField, TextField, TimestampField } from '../../../core/http/body/fields.js';

const MAX_NAME = 50;
const EXPIRY = 'Null: the token never expires';
const READ_ONLY =
  'The token only allows GET, HEAD and OPTIONS, and starting exports and backups to download. Default: true';

export class CreateAccessTokenDto {
  @TextField({ max: MAX_NAME }) name!: string;
  @TimestampField({ optional: true, nullable: true, description: EXPIRY }) expiry_date?: string | null;
  @BoolField({ optional: true, description: READ_ONLY }) read_only?: boolean;
}

export class UpdateAccessTokenDto {
  @TextField({ max: MAX_NAME, optional: true }) name?: string;
  @TimestampField({ optional: true, nullable: true, description: EXPIRY }) expiry_date?: string | null;
  @BoolField({ optional: true, description: READ_ONLY }) read_only?: boolean;
}

export class AccessTokenDto {
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: MAX_NAME }) name!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: EXPIRY }) expiry_date!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Accurate to about a day' })
  last_used_date!: string | null;
  @ApiProperty({ description: READ_ONLY }) read_only!: boolean;
  @ApiProperty({ type: BasicUserDto }) owner!: BasicUserDto;
}

export class NewAccessTokenDto extends AccessTokenDto {
  @ApiProperty({ description: 'Send it in the header Authorization: Bearer <value>. It is shown only once.' })
  value!: string;
}

/** `xxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`. */
const newValue = (): string => `${randomText(8)}.${randomText(32)}`;

/** How many usable tokens a user can have. */
const MAX_TOKENS = 50;
const TOO_MANY = 'You have reached the maximum allowed number of Personal Access Tokens for a user';

interface Row {
  readonly id: number;
  readonly owner_id: number;
  readonly name: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly expiry_date: string | null;
  readonly last_used_date: string | null;
  readonly read_only: boolean;
}

const COLUMNS = sql`access_token.id, access_token.owner_id, access_token.name, access_token.created_date, access_token.updated_date,
  access_token.expiry_date, access_token.last_used_date, access_token.read_only`;

/** What lists of access tokens can be filtered, sorted and searched by. */
export const accessTokenList: ListSpec = {
  from: raw('access_token join app_user owner on owner.id = access_token.owner_id'),
  fields: {
    id: integer('access_token.id'),
    name: text('access_token.name'),
    read_only: bool('access_token.read_only'),
    created_date: timestamp('access_token.created_date'),
    updated_date: timestamp('access_token.updated_date'),
    expiry_date: timestamp('access_token.expiry_date'),
    last_used_date: timestamp('access_token.last_used_date'),
  },
  search: ['name'],
  simple: ['name', 'read_only'],
  defaultSort: '-id',
};

/**
 * Bearer tokens that people create for programs. Lists have the actor's own; administrators can also read, change and revoke
 * others by id. Nobody sees values. An expired token is as good as deleted.
 */
@Injectable()
export class AccessTokenService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly lists: ListService,
    private readonly accounts: AccountsRepository,
    private readonly preconditions: Preconditions,
    private readonly clock: Clock,
    private readonly changes: ChangeLog,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<AccessTokenDto>> {
    return this.page(senderOf(actor), query, `${actor.baseUrl}/api/auth/access_tokens`);
  }

  /** The tokens of another user. The caller has checked the permission. */
  listOf(actor: Actor, owner: AccountRow, query: Record<string, unknown>): Promise<Page<AccessTokenDto>> {
    return this.page(shownOwner(actor, owner), query, `${actor.baseUrl}/api/users/${owner.id}/access_tokens`);
  }

  private page(owner: BasicUserDto, query: Record<string, unknown>, url: string): Promise<Page<AccessTokenDto>> {
    const visible = sql`access_token.owner_id = ${owner.id} and ${isUsable(this.clock.now())}`;
    const options = { select: COLUMNS, visible, organization: 'any', query, url } as const;
    return this.lists.page(accessTokenList, options, (row: Row) => toAccessToken(row, owner));
  }

  async get(actor: Actor, id: number): Promise<AccessTokenDto> {
    return this.read(this.db, actor, id);
  }

  /** @returns the token with its value, which is not stored and cannot be shown again */
  async create(actor: Actor, body: Unvalidated<CreateAccessTokenDto>): Promise<NewAccessTokenDto> {
    const dto = body.validate();
    const expiry = readExpiry(dto.expiry_date) ?? null;
    const value = newValue();
    return this.work.run(async (tx) => {
      await this.requireFew(tx, actor);
      const [row] = await tx.query<Row>(sql`
        insert into access_token (name, owner_id, key_hash, read_only, expiry_date, created_date, updated_date)
        values (${dto.name}, ${actor.id}, ${fingerprint(value)}, ${dto.read_only ?? true}, ${expiry}::timestamptz,
          ${tx.now}, ${tx.now})
        returning ${COLUMNS}`);
      if (row === undefined) throw new Error('The new access token has no row');
      const object = toAccessToken(row, senderOf(actor));
      this.changes.record(tx, actor, 'create:access_token', { object });
      return Object.assign({ ...object }, { value });
    });
  }

  async update(actor: Actor, id: number, body: Unvalidated<UpdateAccessTokenDto>): Promise<AccessTokenDto> {
    return this.work.run(async (tx) => {
      const before = await this.lock(tx, actor, id);
      const { name, expiry_date: expiry, read_only: readOnly } = body.validate();
      const changes = assignments({
        updated_date: tx.now,
        name,
        expiry_date: readExpiry(expiry),
        read_only: readOnly,
      });
      await tx.query(sql`update access_token set ${join(changes, ', ')} where id = ${id}`);
      const row = await this.row(tx, id);
      if (row === undefined) throw NotFound.of('AccessToken');
      const object = toAccessToken(row, before.owner);
      this.changes.record(tx, actor, 'update:access_token', { before, object });
      return object;
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run((tx) => this.remove(tx, actor, id));
  }

  /** Revokes a token of another user. The caller has checked the permission. */
  revoke(actor: Actor, owner: AccountRow, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      if ((await this.row(tx, id))?.owner_id !== owner.id) throw NotFound.of('AccessToken');
      await this.remove(tx, actor, id);
    });
  }

  private async remove(tx: Tx, actor: Actor, id: number): Promise<void> {
    const object = await this.lock(tx, actor, id);
    this.changes.record(tx, actor, 'delete:access_token', { object });
    await tx.query(sql`delete from access_token where id = ${id}`);
  }

  /** Requests that create tokens at the same time wait for each other. @throws InvalidList */
  private async requireFew(tx: Tx, actor: Actor): Promise<void> {
    await tx.query(sql`select 1 from app_user where id = ${actor.id} for no key update`);
    const found = await tx.query(sql`
      select 1 from access_token where owner_id = ${actor.id} and ${isUsable(tx.now)} limit ${MAX_TOKENS}`);
    if (found.length >= MAX_TOKENS) throw new InvalidList(TOO_MANY);
  }

  /** Locks the token until the transaction ends. @throws NotFound, Forbidden, ApiError 412 */
  private async lock(tx: Tx, actor: Actor, id: number): Promise<AccessTokenDto> {
    await tx.query(sql`select 1 from access_token where id = ${id} for update`);
    const token = await this.read(tx, actor, id);
    await this.preconditions.require(tx, 'access token', token);
    return token;
  }

  /** @throws NotFound, also for expired tokens; Forbidden */
  private async read(db: Queryable, actor: Actor, id: number): Promise<AccessTokenDto> {
    const row = await this.row(db, id, isUsable(this.clock.now()));
    if (row === undefined) throw NotFound.of('AccessToken');
    if (row.owner_id === actor.id) return toAccessToken(row, senderOf(actor));
    if (!isAdmin(actor)) throw new Forbidden();
    const owner = await this.accounts.byId(row.owner_id, db);
    if (owner === undefined) throw NotFound.of('AccessToken');
    return toAccessToken(row, shownOwner(actor, owner));
  }

  private async row(db: Queryable, id: number, condition = raw('true')): Promise<Row | undefined> {
    const [row] = await db.query<Row>(sql`select ${COLUMNS} from access_token where id = ${id} and ${condition}`);
    return row;
  }
}

const isUsable = (now: Date): Sql => sql`(access_token.expiry_date is null or access_token.expiry_date > ${now})`;

const shownOwner = (actor: Actor, { id, username, first_name, last_name }: AccountRow): BasicUserDto =>
  toBasicUser({ id, username, firstName: first_name, lastName: last_name }, new Urls(actor.baseUrl));

/** @returns ISO 8601 with microseconds; null: never; undefined: not given */
function readExpiry(text: string | null | undefined): string | null | undefined {
  if (typeof text !== 'string') return text;
  return isoTime(microseconds(text));
}

const toAccessToken = (row: Row, owner: BasicUserDto): AccessTokenDto => ({
  id: row.id,
  name: row.name,
  created_date: row.created_date,
  updated_date: row.updated_date,
  expiry_date: row.expiry_date,
  last_used_date: row.last_used_date,
  read_only: row.read_only,
  owner,
});
