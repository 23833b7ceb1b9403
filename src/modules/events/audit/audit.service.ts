import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { csvLine } from '../../../shared/csv.js';
import { listOrganization, ListService } from '../../../core/list/list.service.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import { and, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { column } from '../../../engines/sql/tables.js';
import { type Actor, contextOrganization, isAdmin } from '../../../shared/policy/actor.js';
import { loggedEventPolicy } from '../../../shared/policy/event.policy.js';
import {
  AUDIT_COLUMNS,
  AUDIT_CSV,
  auditCells,
  auditList,
  type AuditRecordDto,
  type AuditRow,
  toAuditRecord,
} from './audit.dto.js';

const ROWS_AT_ONCE = 1000;

/** Shows the audit log to administrators, and to owners the part of their organizations. */
@Injectable()
export class AuditService {
  constructor(private readonly lists: ListService) {}

  list(actor: Actor, query: Query): Promise<Page<AuditRecordDto>> {
    const options = { ...this.options(actor, query), url: `${actor.baseUrl}/api/events/audit` };
    return this.lists.page<AuditRow, AuditRecordDto>(auditList, options, toAuditRecord);
  }

  /** The log as CSV, newest first. Reads as fast as the client. @throws like `list`, before the first line */
  async *csv(actor: Actor, query: Query): AsyncGenerator<string> {
    const batches = this.lists.all<AuditRow>(auditList, this.options(actor, query), ROWS_AT_ONCE);
    let next = await batches.next();
    yield csvLine(AUDIT_CSV);
    for (; next.done !== true; next = await batches.next())
      yield next.value.map((row) => csvLine(auditCells(toAuditRecord(row)))).join('');
  }

  private options(actor: Actor, query: Query) {
    requireAll(loggedEventPolicy, ['audit'], actor, { organization: contextOrganization(actor) });
    return {
      select: AUDIT_COLUMNS,
      visible: and([sql`${column('logged_event.is_audit')}`, visibleTo(actor)]),
      organization: listOrganization(actor),
      query,
    };
  }
}

const visibleTo = (actor: Actor): Sql =>
  isAdmin(actor)
    ? raw('true')
    : sql`${column('logged_event.org_id')} = any(array(select owned.id from organization owned where owned.owner_id = ${actor.id}))`;
