import { Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { ApiTextErrors } from '../../core/http/errors/api-errors.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { RequestIdDto } from '../media/index.js';
import { ConsensusSettingsDto, CreateMergeDto, UpdateConsensusSettingsDto } from './consensus.dto.js';
import { consensusSettingsList } from './consensus.repository.js';
import { ConsensusSettings } from './consensus-settings.service.js';
import { MergeService } from './merge.service.js';

@ApiTags('consensus')
@Controller('api/consensus')
export class ConsensusController {
  constructor(
    private readonly settings: ConsensusSettings,
    private readonly merges: MergeService,
  ) {}

  @Get('settings')
  @Scope('consensus:list')
  @ApiOperation({ summary: 'List the settings for merging replicas' })
  @ApiList(consensusSettingsList)
  @ApiOkResponse({ type: pageDto(ConsensusSettingsDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<ConsensusSettingsDto>> {
    return this.settings.list(actor, query);
  }

  @Get('settings/:id')
  @Scope('consensus:view')
  @ApiOperation({ summary: 'Get the settings for merging the replicas of a task' })
  @ApiOkResponse({ type: ConsensusSettingsDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<ConsensusSettingsDto> {
    return this.settings.get(actor, id);
  }

  @Patch('settings/:id')
  @Scope('consensus:update')
  @ApiOperation({ summary: 'Change the settings for merging the replicas of a task' })
  @ApiOkResponse({ type: ConsensusSettingsDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateConsensusSettingsDto) body: Unvalidated<UpdateConsensusSettingsDto>,
  ): Promise<ConsensusSettingsDto> {
    return this.settings.update(actor, id, body);
  }

  @Post('merges')
  @HttpCode(202)
  @Scope('task:merge:replicas')
  @ApiOperation({
    summary: 'Merge the replicas of jobs',
    description:
      'Replaces the annotations of each job in the stage annotation by what its replicas have in common, and sets its ' +
      'state to completed. Replicas in the state new are ignored. Jobs without other replicas stay unchanged.',
  })
  @ApiTextErrors(410)
  @ApiAcceptedResponse({ type: RequestIdDto, description: 'The merge is queued; see GET /api/requests/{id}' })
  async merge(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateMergeDto) body: Unvalidated<CreateMergeDto>,
    @Query() query: Record<string, unknown>,
  ): Promise<RequestIdDto> {
    return { rq_id: await this.merges.create(actor, body, query) };
  }
}
