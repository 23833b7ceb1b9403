import { Injectable } from '@nestjs/common';
import { Backlogged } from '../../core/metrics/backlogs.js';
import { type Sql, sql } from '../../engines/sql/sql.js';

const OPEN = sql`status in ('queued', 'started')`; // the index is over these

/** Declares what waits to be done in the background. */
@Injectable()
export class RequestMetrics {
  @Backlogged('requests')
  queued(): Sql {
    return sql`
      select count(*) as waiting, min(created_date) as oldest from background_request where ${OPEN} and status = 'queued'`;
  }

  @Backlogged('requests under way')
  started(): Sql {
    return sql`
      select count(*) as waiting, min(started_date) as oldest from background_request where ${OPEN} and status = 'started'`;
  }
}
