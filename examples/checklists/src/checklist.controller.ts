import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type Actor, ApiList, CurrentActor, IdPipe, JsonBody, type Page, pageDto, Scope, type Unvalidated } from 'cairn/extension'; // prettier-ignore
import { ChecklistDto, CreateChecklistDto, UpdateChecklistDto } from './checklist.dto.js';
import { checklistList } from './checklist.list.js';
import { ChecklistService } from './checklist.service.js';

@ApiTags('checklists')
@Controller('api/checklists')
export class ChecklistController {
  constructor(@Inject(ChecklistService) private readonly checklists: ChecklistService) {}

  @Get()
  @Scope('checklist:list')
  @ApiList(checklistList)
  @ApiOkResponse({ type: pageDto(ChecklistDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<ChecklistDto>> {
    return this.checklists.list(actor, query);
  }

  @Post()
  @Scope('checklist:create')
  @ApiCreatedResponse({ type: ChecklistDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateChecklistDto) body: Unvalidated<CreateChecklistDto>,
  ): Promise<ChecklistDto> {
    return this.checklists.create(actor, body);
  }

  @Get(':id')
  @Scope('checklist:view')
  @ApiOkResponse({ type: ChecklistDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<ChecklistDto> {
    return this.checklists.get(actor, id);
  }

  @Patch(':id')
  @Scope('checklist:update')
  @ApiOkResponse({ type: ChecklistDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateChecklistDto) body: Unvalidated<UpdateChecklistDto>,
  ): Promise<ChecklistDto> {
    return this.checklists.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('checklist:delete')
  @ApiNoContentResponse()
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.checklists.delete(actor, id);
  }
}
