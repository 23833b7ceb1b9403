import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { nameClient } from './queues/agent-client.js';
import { CreateFunctionDto, FunctionDto, UpdateFunctionDto } from './function.dto.js';
import { functionList } from './function.repository.js';
import { FunctionService } from './function.service.js';

@ApiTags('functions')
@Controller('api/functions')
export class FunctionController {
  constructor(private readonly functions: FunctionService) {}

  @Get()
  @Scope('function:list')
  @ApiOperation({ summary: 'List functions' })
  @ApiList(functionList)
  @ApiOkResponse({ type: pageDto(FunctionDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<FunctionDto>> {
    return this.functions.list(actor, query);
  }

  @Post()
  @Scope('function:create')
  @ApiOperation({ summary: 'Register a function that agents execute' })
  @ApiCreatedResponse({ type: FunctionDto })
  async create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateFunctionDto) body: Unvalidated<CreateFunctionDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FunctionDto> {
    const created = await this.functions.create(actor, body);
    response.setHeader('Location', created.url);
    return created;
  }

  @Get(':id')
  @Scope('function:view')
  @ApiOperation({ summary: 'Get a function' })
  @ApiOkResponse({ type: FunctionDto })
  get(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FunctionDto> {
    nameClient(request, response);
    return this.functions.get(actor, id);
  }

  @Patch(':id')
  @Scope('function:update')
  @ApiOperation({ summary: 'Update a function' })
  @ApiOkResponse({ type: FunctionDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UpdateFunctionDto) body: Unvalidated<UpdateFunctionDto>,
  ): Promise<FunctionDto> {
    return this.functions.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('function:delete')
  @ApiOperation({ summary: 'Delete a function' })
  @ApiNoContentResponse({ description: 'Deleted, with its queue. Its agents stop.' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.functions.delete(actor, id);
  }
}
