import { Inject, Injectable } from '@nestjs/common';
import { Backlogs } from '../../core/metrics/backlogs.js';
import { sql } from '../../engines/sql/sql.js';

/** Declares what waits to be done in the background. */
@Injectable()
export class RequestMetrics {
  constructor(@Inject(Backlogs) backlogs: Backlogs) {
    const open = sql`status in ('queued', 'started')`; // the index is over these
    backlogs.add(
      'requests',
      sql`select count(*) as waiting, min(created_date) as oldest from background_request where ${open} and status = 'queued'`,
    );
    backlogs.add(
      'requests under way',
      sql`select count(*) as waiting, min(started_date) as oldest from background_request where ${open} and status = 'started'`,
    );
  }
}
