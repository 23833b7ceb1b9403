import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { sendCsv } from '../../../core/http/response/send-csv.js';
import { auditList, AuditRecordDto } from './audit.dto.js';
import { AuditService } from './audit.service.js';

const WHO = 'Administrators see everything, owners of organizations what belongs to these.';

@ApiTags('events')
@Controller('api/events/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Scope('event:audit')
  @ApiOperation({ summary: 'List who changed what, log-ins and rejected requests', description: WHO })
  @ApiList(auditList)
  @ApiOkResponse({ type: pageDto(AuditRecordDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<AuditRecordDto>> {
    return this.audit.list(actor, query);
  }

  @Get('csv')
  @Scope('event:audit')
  @ApiOperation({
    summary: 'Download the audit log as CSV, newest first',
    description: `${WHO} Takes the filters of the list.`,
  })
  @ApiList({ ...auditList, sortable: [] })
  @ApiOkResponse({ description: 'CSV', content: { 'text/csv': { schema: { type: 'string' } } } })
  csv(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>, @Res() response: Response): Promise<void> {
    return sendCsv(response, 'audit_log.csv', this.audit.csv(actor, query));
  }
}
