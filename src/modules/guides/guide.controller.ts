import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  ApiBody,
  ApiConsumes,
  ApiOperation,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor, MaybeActor } from '../../core/access/current-actor.decorator.js';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import type { Actor } from '../../shared/policy/actor.js';
import { ApiErrors } from '../../core/http/errors/api-errors.js';
import { CreateGuideDto, GuideDto, UpdateGuideDto, WrittenGuideDto, AssetDto, CreateAssetDto } from './guide.dto.js';
import { GuideService } from './guide.service.js';
import { inline, readAssetForm, securityPolicyFor, UuidPipe } from './asset-http.js';
import { AssetService } from './asset.service.js';

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

const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'application/pdf', 'application/octet-stream'];
const BINARY = { schema: { type: 'string', format: 'binary' } } as const;

@ApiTags('assets')
@Controller('api/assets')
export class AssetController {
  constructor(private readonly assets: AssetService) {}

  @Post()
  @Scope('asset:create')
  @ApiOperation({ summary: 'Add an image or document to a guide' })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: CreateAssetDto })
  @ApiCreatedResponse({ type: AssetDto })
  @ApiErrors(415)
  async create(@CurrentActor() actor: Actor, @Req() request: Request): Promise<AssetDto> {
    return this.assets.create(actor, await readAssetForm(request));
  }

  @Get(':uuid')
  @Public()
  @Scope('asset:view')
  @ApiOperation({ summary: 'Download an asset. Assets of public guides need no authentication.' })
  @ApiOkResponse({
    description: 'The content type is detected from the file',
    content: Object.fromEntries(TYPES.map((type) => [type, BINARY])),
  })
  async read(
    @MaybeActor() actor: Actor | null,
    @Param('uuid', UuidPipe) uuid: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer> {
    const { filename, type, content } = await this.assets.read(actor, uuid);
    response.setHeader('Content-Type', type);
    response.setHeader('Content-Disposition', inline(filename));
    response.setHeader('Content-Security-Policy', securityPolicyFor(type));
    return content;
  }

  @Delete(':uuid')
  @HttpCode(204)
  @Scope('asset:delete')
  @ApiOperation({ summary: 'Delete an asset. The text of its guide does not change.' })
  @ApiNoContentResponse({ description: 'Deleted' })
  delete(@CurrentActor() actor: Actor, @Param('uuid', UuidPipe) uuid: string): Promise<void> {
    return this.assets.delete(actor, uuid);
  }
}
