import { Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { LabelAccess } from './label.access.js';
import { LabelChangeDto, LabelDto } from './label.dto.js';
import { labelList } from './label.repository.js';

const ONE_OWNER = 'Labels of one task, project or job. Set at most one of the three parameters.';

@ApiTags('labels')
@Controller('api/labels')
export class LabelController {
  constructor(private readonly labels: LabelAccess) {}

  @Get()
  @Scope('label:list')
  @ApiList(labelList)
  @ApiQuery({ name: 'task_id', required: false, type: 'integer', description: ONE_OWNER })
  @ApiQuery({ name: 'project_id', required: false, type: 'integer', description: ONE_OWNER })
  @ApiQuery({ name: 'job_id', required: false, type: 'integer', description: ONE_OWNER })
  @ApiOkResponse({ type: pageDto(LabelDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<LabelDto>> {
    return this.labels.list(actor, query);
  }

  @Get(':id')
  @Scope('label:view')
  @ApiOkResponse({ type: LabelDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<LabelDto> {
    return this.labels.get(actor, id);
  }

  @Patch(':id')
  @Scope('label:update')
  @ApiOkResponse({ type: LabelDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(LabelChangeDto) body: Unvalidated<LabelChangeDto>,
  ): Promise<LabelDto> {
    return this.labels.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('label:delete')
  @ApiNoContentResponse({ description: 'Deleted, with its annotations' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.labels.delete(actor, id);
  }
}
