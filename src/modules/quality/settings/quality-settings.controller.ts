import { Controller, Get, Param, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { ApiErrors } from '../../../core/http/errors/api-errors.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { QualitySettingsDto, qualitySettingsList, UpdateQualitySettingsDto } from './quality-settings.dto.js';
import { PARENT_TYPES, QualitySettingsService } from './quality-settings.service.js';

@ApiTags('quality')
@Controller('api/quality/settings')
export class QualitySettingsController {
  constructor(private readonly settings: QualitySettingsService) {}

  @Get()
  @Scope('quality_settings:list')
  @ApiOperation({ summary: 'List quality settings: every task and every project has one' })
  @ApiList(qualitySettingsList)
  @ApiQuery({ name: 'project_id', required: false, type: 'integer', description: 'Of the project and of its tasks' })
  @ApiQuery({ name: 'parent_type', required: false, enum: PARENT_TYPES })
  @ApiErrors(403)
  @ApiOkResponse({ type: pageDto(QualitySettingsDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<QualitySettingsDto>> {
    return this.settings.list(actor, query);
  }

  @Get(':id')
  @Scope('quality_settings:view')
  @ApiOperation({ summary: 'Get quality settings' })
  @ApiOkResponse({ type: QualitySettingsDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<QualitySettingsDto> {
    return this.settings.get(actor, id);
  }

  /** As in CVAT 2.80: fields that the body leaves out stay as they are. */
  @Put(':id')
  @Scope('quality_settings:update')
  @ApiOperation({ summary: 'Change quality settings', description: 'The same as `PATCH`' })
  @ApiOkResponse({ type: QualitySettingsDto })
  replace(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateQualitySettingsDto) body: Unvalidated<UpdateQualitySettingsDto>,
  ): Promise<QualitySettingsDto> {
    return this.settings.update(actor, id, body);
  }

  @Patch(':id')
  @Scope('quality_settings:update')
  @ApiOperation({ summary: 'Change quality settings' })
  @ApiOkResponse({ type: QualitySettingsDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateQualitySettingsDto) body: Unvalidated<UpdateQualitySettingsDto>,
  ): Promise<QualitySettingsDto> {
    return this.settings.update(actor, id, body);
  }
}
