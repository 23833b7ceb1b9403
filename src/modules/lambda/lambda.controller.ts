import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { ApiMissing } from '../../core/http/errors/api-errors.js';
import { ClientGone } from '../../core/http/errors/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { FunctionCalls } from './function-calls.js';
import { ApiFunctionErrors } from './lambda-documents.js';
import {
  CallFunctionDto,
  LabeledDataDto,
  type LambdaFunctionDto as FunctionDto,
  LambdaFunctionDto,
  toLambdaFunction,
  TrackingDto,
} from './lambda.dto.js';
import { LambdaFunctions } from './lambda-functions.js';

const ID = { name: 'id', example: 'onnx-yolo' };

/** The response depends on the kind of the function. */
const RESULT = {
  anyOf: [
    { $ref: getSchemaPath(LabeledDataDto) },
    { $ref: getSchemaPath(TrackingDto) },
    { type: 'object', additionalProperties: true, description: 'Interactors: what the function returns' },
    { type: 'array', items: { type: 'integer' }, description: 'Reid: for each of boxes0 its index in boxes1, or -1' },
  ],
};

@ApiTags('lambda')
@ApiExtraModels(LabeledDataDto, TrackingDto)
@Controller('api/lambda/functions')
export class LambdaController {
  constructor(
    private readonly functions: LambdaFunctions,
    private readonly calls: FunctionCalls,
  ) {}

  @Get()
  @Scope('lambda:list:functions')
  @ApiOperation({
    summary: 'List the functions for automatic annotation',
    description: 'Those that the server calls over HTTP, and those of agents that you may use. There are no pages.',
  })
  @ApiFunctionErrors(503)
  @ApiOkResponse({ type: LambdaFunctionDto, isArray: true })
  async list(@CurrentActor() actor: Actor): Promise<FunctionDto[]> {
    return (await this.functions.list(actor)).map(toLambdaFunction);
  }

  @Get(':id')
  @Scope('lambda:view:functions')
  @ApiOperation({ summary: 'Get a function for automatic annotation' })
  @ApiParam(ID)
  @ApiMissing('There is no such function')
  @ApiFunctionErrors(503)
  @ApiOkResponse({ type: LambdaFunctionDto })
  async get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<FunctionDto> {
    return toLambdaFunction(await this.functions.get(actor, id));
  }

  @Post(':id')
  @HttpCode(200)
  @Scope('lambda:call:online')
  @ApiOperation({
    summary: 'Call a function and wait for its result',
    description: 'Nothing is stored. The response depends on the kind of the function.',
  })
  @ApiParam(ID)
  @ApiMissing('There is no such function')
  @ApiFunctionErrors(502, 503, 504)
  @ApiOkResponse({ schema: RESULT })
  call(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @JsonBody(CallFunctionDto, { limit: 'annotations' }) body: Unvalidated<CallFunctionDto>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    return this.calls.call(actor, id, body, closedSignal(response));
  }
}

/** Aborted when the client closes the connection before it has the response. */
function closedSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new ClientGone());
  if (response.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}
