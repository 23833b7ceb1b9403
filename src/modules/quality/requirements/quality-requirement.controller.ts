import { Controller, Get, Param, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import { ApiList } from '../../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import {
  QualityRequirementDto,
  qualityRequirementList,
  QualityRequirementListItemDto,
  UpdateQualityRequirementDto,
} from './quality-requirement.dto.js';
import { QualityRequirementService } from './quality-requirement.service.js';

const ABOUT = 'For clients of CVAT 2.80. Quality settings have one requirement, the base, which has their values.';

@ApiTags('quality')
@Controller('api/quality/settings/requirements')
export class QualityRequirementController {
  constructor(private readonly requirements: QualityRequirementService) {}

  @Get()
  @Scope('quality_settings:list')
  @ApiOperation({ summary: 'List quality requirements', description: ABOUT })
  @ApiList(qualityRequirementList)
  @ApiOkResponse({ type: pageDto(QualityRequirementListItemDto) })
  list(
    @CurrentActor() actor: Actor,
    @Query() query: Record<string, unknown>,
  ): Promise<Page<QualityRequirementListItemDto>> {
    return this.requirements.list(actor, query);
  }

  @Get(':id')
  @Scope('quality_settings:view')
  @ApiOperation({ summary: 'Get a quality requirement', description: ABOUT })
  @ApiOkResponse({ type: QualityRequirementDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<QualityRequirementDto> {
    return this.requirements.get(actor, id);
  }

  @Put(':id')
  @Scope('quality_settings:update')
  @ApiOperation({ summary: 'Change a quality requirement', description: 'The same as `PATCH`' })
  @ApiOkResponse({ type: QualityRequirementDto })
  replace(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateQualityRequirementDto) body: Unvalidated<UpdateQualityRequirementDto>,
  ): Promise<QualityRequirementDto> {
    return this.requirements.update(actor, id, body);
  }

  @Patch(':id')
  @Scope('quality_settings:update')
  @ApiOperation({ summary: 'Change a quality requirement', description: ABOUT })
  @ApiOkResponse({ type: QualityRequirementDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateQualityRequirementDto) body: Unvalidated<UpdateQualityRequirementDto>,
  ): Promise<QualityRequirementDto> {
    return this.requirements.update(actor, id, body);
  }
}
