import type { ClientBase } from 'pg';
import { DumpRecord, type RawRecord } from './dump-record.js';

const TABLE = 'cvat_deferred';
const BATCH = 500;
const ACCOUNTS = 'auth.user';

/** Records that refer by name to accounts or groups that come later in the dump, in a temporary table. */
export class DeferredRecords {
  private batch: RawRecord[] = [];

  constructor(private readonly client: ClientBase) {}

  async create(): Promise<void> {
    await this.client.query(`
      create temporary table ${TABLE} (
        position bigint generated always as identity primary key, is_account boolean, record text)`);
  }

  async add(record: DumpRecord): Promise<void> {
    this.batch.push(record.raw);
    if (this.batch.length >= BATCH) await this.flush();
  }

  /** All of them, accounts first. */
  async *read(): AsyncGenerator<DumpRecord> {
    await this.flush();
    for (const areAccounts of [true, false]) {
      let last = 0;
      for (;;) {
        const { rows } = await this.client.query<{ position: string; record: string }>(
          `select position, record from ${TABLE} where is_account = $1 and position > $2 order by position limit ${BATCH}`,
          [areAccounts, last],
        );
        for (const { position, record } of rows) {
          last = Number(position);
          yield DumpRecord.of(JSON.parse(record), last);
        }
        if (rows.length < BATCH) break;
      }
    }
  }

  private async flush(): Promise<void> {
    const records = this.batch;
    this.batch = [];
    if (records.length === 0) return;
    await this.client.query(
      `insert into ${TABLE} (is_account, record) select * from unnest($1::boolean[], $2::text[])`,
      [records.map(({ model }) => model === ACCOUNTS), records.map((record) => JSON.stringify(record))],
    );
  }
}
