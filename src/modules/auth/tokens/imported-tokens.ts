import { Injectable } from '@nestjs/common';
import { type Limit, Throttles } from '../../../core/access/throttles.js';
import { Db } from '../../../core/database/db.js';
import { verifyPassword } from '../../../engines/password/encoded-password.js';
import { sql } from '../../../engines/sql/sql.js';

/** A slow hash would otherwise let strangers who know a prefix keep the processors busy. */
const FAILURES: Limit = { name: 'wrong secrets of an imported access token', most: 100, windowMs: 5 * 60_000 };
const PREFIX = /^([^.\0]{1,50})\.([^\0]+)$/;

interface Row {
  readonly id: number;
  readonly secret_hash: string;
}

interface Value {
  readonly value: string;
  readonly prefix: string;
  readonly secret: string;
}

/** Access tokens that were created by CVAT. After its first use, such a token is stored like all others. */
@Injectable()
export class ImportedTokens {
  /** Requests with the same value at the same time are one attempt. */
  private readonly inProgress = new Map<string, Promise<void>>();

  constructor(
    private readonly db: Db,
    private readonly throttles: Throttles,
  ) {}

  /**
   * Verifies a value `prefix.secret` that no token has, and stores its fingerprint if an imported token has it.
   * @returns whether to look for the fingerprint again; also if another process may have stored it
   */
  async adopt(value: string, fingerprint: string): Promise<boolean> {
    const [, prefix, secret] = PREFIX.exec(value) ?? [];
    if (prefix === undefined || secret === undefined) return false;
    const attempt =
      this.inProgress.get(fingerprint) ??
      this.verify({ value, prefix, secret }, fingerprint).finally(() => this.inProgress.delete(fingerprint));
    this.inProgress.set(fingerprint, attempt);
    await attempt;
    return true;
  }

  private async verify({ value, prefix, secret }: Value, fingerprint: string): Promise<void> {
    const [row] = await this.db.query<Row>(sql`
      select id, secret_hash from access_token where prefix = ${prefix} and secret_hash is not null`);
    if (row === undefined) return;
    const counter = { limit: FAILURES, key: prefix };
    if ((await this.throttles.hitAll([counter])) > 0) return;
    // CVAT's library hashes the whole value.
    const isRight = (await verifyPassword(value, row.secret_hash)) || (await verifyPassword(secret, row.secret_hash));
    if (!isRight) return;
    await this.throttles.takeBack([counter]);
    await this.db.query(sql`
      update access_token set key_hash = ${fingerprint}, secret_hash = null, prefix = null
      where id = ${row.id} and secret_hash = ${row.secret_hash}`);
  }
}
