import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor, MaybeActor } from '../../core/access/current-actor.decorator.js';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CreateGuideDto, GuideDto, UpdateGuideDto, WrittenGuideDto } from './guide.dto.js';
import { GuideService } from './guide.service.js';

@ApiTags('guides')
@Controller('api/guides')
export class GuideController {
  constructor(private readonly guides: GuideService) {}

  @Post()
  @Scope('guide:create')
  @ApiCreatedResponse({ type: WrittenGuideDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateGuideDto) body: Unvalidated<CreateGuideDto>,
  ): Promise<WrittenGuideDto> {
    return this.guides.create(actor, body);
  }

  @Get(':id')
  @Public()
  @Scope('guide:view')
  @ApiOkResponse({ type: GuideDto })
  get(@MaybeActor() actor: Actor | null, @Param('id', IdPipe) id: number): Promise<GuideDto> {
    return this.guides.get(actor, id);
  }

  @Patch(':id')
  @Scope('guide:update')
  @ApiOkResponse({ type: WrittenGuideDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateGuideDto) body: Unvalidated<UpdateGuideDto>,
  ): Promise<WrittenGuideDto> {
    return this.guides.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('guide:delete')
  @ApiNoContentResponse({ description: 'Deleted' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.guides.delete(actor, id);
  }
}
