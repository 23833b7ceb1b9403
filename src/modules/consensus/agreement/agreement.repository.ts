import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { sql } from '../../../engines/sql/sql.js';
import type { AgreementDto, AnnotatorDto, StoredAgreement } from './agreement.dto.js';

interface AgreementRow {
  readonly document: StoredAgreement;
  readonly created_date: string;
  /** Current names by id. */
  readonly users: Readonly<Record<string, string>>;
}

@Injectable()
export class AgreementRepository {
  /** The agreement as last calculated, with the current names of the annotators. */
  async find(db: Queryable, taskId: number): Promise<AgreementDto | undefined> {
    const [row] = await db.query<AgreementRow>(sql`
      select document, created_date,
        (select coalesce(json_object_agg(id, username), '{}') from app_user
         where id in (select (jsonb_path_query(document, '$.pairs[*].annotators[*].id ? (@ != null)'))::int)) as users
      from consensus_agreement where task_id = ${taskId}`);
    if (row === undefined) return undefined;
    const { document, created_date, users } = row;
    const named = (annotators: readonly AnnotatorDto[]): AnnotatorDto[] =>
      annotators.map((one) => ({ ...one, username: one.id === null ? null : (users[one.id] ?? null) }));
    return {
      task_id: taskId,
      created_date,
      ...document,
      jobs: document.jobs.map((job) => ({ ...job, annotators: named(job.annotators) })),
      pairs: document.pairs.map((pair) => ({ ...pair, annotators: named(pair.annotators) })),
    };
  }

  /** Replaces the agreement that was calculated before. Takes no round trip. */
  save(tx: Tx, taskId: number, document: StoredAgreement): void {
    tx.write(sql`
      insert into consensus_agreement (task_id, document, created_date)
      values (${taskId}, ${JSON.stringify(document)}::jsonb, ${tx.now})
      on conflict (task_id) do update set document = excluded.document, created_date = excluded.created_date`);
  }
}
