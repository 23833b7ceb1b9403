import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { qualityConflictList, QualityConflictDto, QualityConflictService } from './quality-conflict.service.js';

@ApiTags('quality')
@Controller('api/quality/conflicts')
export class QualityConflictController {
  constructor(private readonly conflicts: QualityConflictService) {}

  @Get()
  @Scope('quality:list')
  @ApiOperation({ summary: 'List the conflicts between annotations and ground truth' })
  @ApiList(qualityConflictList)
  @ApiQuery({ name: 'report_id', required: false, type: 'integer', description: 'Of the report and of its parts' })
  @ApiQuery({ name: 'job_id', required: false, type: 'integer', description: 'Of all reports of the job' })
  @ApiQuery({
    name: 'task_id',
    required: false,
    type: 'integer',
    description: 'Of all reports of the task and its jobs',
  })
  @ApiQuery({ name: 'project_id', required: false, type: 'integer', description: 'Of all reports in the project' })
  @ApiErrors(403, 404)
  @ApiOkResponse({ type: pageDto(QualityConflictDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<QualityConflictDto>> {
    return this.conflicts.list(actor, query);
  }
}
