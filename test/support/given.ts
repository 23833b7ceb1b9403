import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { LATEST_VERSION } from '../../src/core/versioning/accept.js';
import { sql } from '../../src/engines/sql/sql.js';
import { ApiTokens } from '../../src/modules/auth/tokens/api-tokens.js';
import type { TestApp } from './app.js';

/** The `Accept` of the newest API version: requests without one get an older one. */
export const NEWEST = `application/vnd.cvat+json; version=${LATEST_VERSION}`;

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly token: string;
  /** Sends requests with the person's token. */
  readonly http: ReturnType<typeof supertest.agent>;
}

export interface PersonOptions {
  readonly id?: number;
  readonly username?: string;
  readonly groups?: readonly string[];
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
}

/** Inserts rows that tests start from. */
export class Given {
  constructor(private readonly app: TestApp) {}

  /** An account with a token, created without the cost of hashing a password. */
  async person(options: PersonOptions = {}): Promise<Person> {
    const groups = options.groups ?? ['user'];
    const username = options.username ?? `p-${randomUUID().slice(0, 8)}`;
    const admin = groups.includes('admin');
    const given = options.id === undefined ? sql`default` : sql`${options.id}`;
    const [row] = await this.app.db.query<{ id: number }>(sql`
      insert into app_user (id, username, first_name, last_name, email, password, groups, is_staff, is_superuser, date_joined)
      values (${given}, ${username}, ${options.firstName ?? 'First'}, ${options.lastName ?? 'Last'},
        ${options.email ?? `${username}@example.org`}, '!', ${groups}, ${admin}, ${admin}, now())
      returning id`);
    const id = row?.id ?? 0;
    const token = await this.app.app.get(ApiTokens).keyOf(this.app.db, id);
    const http = supertest.agent(this.app.url);
    http.set('Authorization', `Token ${token}`);
    return { id, username, token, http };
  }

  admin(): Promise<Person> {
    return this.person({ groups: ['admin'] });
  }

  /** An organization of `owner` with additional members. */
  async organization(
    owner: Person,
    members: readonly { readonly person: Person; readonly role: string }[] = [],
  ): Promise<{ id: number; slug: string }> {
    const slug = `o-${randomUUID().slice(0, 8)}`;
    const [row] = await this.app.db.query<{ id: number }>(sql`
      insert into organization (slug, name, owner_id, created_date, updated_date)
      values (${slug}, ${slug}, ${owner.id}, now(), now()) returning id`);
    const id = row?.id ?? 0;
    for (const member of [{ person: owner, role: 'owner' }, ...members]) {
      await this.app.db.query(sql`
        insert into membership (user_id, organization_id, is_active, joined_date, role)
        values (${member.person.id}, ${id}, true, now(), ${member.role})`);
    }
    return { id, slug };
  }
}

/** The events recorded so far, oldest first. */
export async function recordedEvents(app: TestApp): Promise<{ name: string; before: string[] }[]> {
  const rows = await app.db.query<{ name: string; before: { object: object } | null; after: { object: object } }>(sql`
    select name, before, after from outbox_event order by id`);
  return rows.map((row) => ({
    name: row.name,
    before: row.before === null ? [] : changedKeys(row.before.object, row.after.object),
  }));
}

function changedKeys(before: object, after: object): string[] {
  const old = before as Record<string, unknown>;
  const entries = Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(old[key]));
  return entries.map(([key]) => key);
}
