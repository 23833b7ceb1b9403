import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../../core/http/body/body.js';
import { ApiMissing } from '../../../core/http/errors/api-errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ApiFunctionErrors } from '../lambda-documents.js';
import { CreateFunctionCallDto, FunctionCallDto } from '../lambda.dto.js';
import { FunctionRequests } from './function-requests.js';

const ID = { name: 'id', example: 'action=autoannotate&target=task&target_id=7' };
const MISSING = 'There is no such request';

@ApiTags('lambda')
@Controller('api/lambda/requests')
export class FunctionRequestController {
  constructor(private readonly requests: FunctionRequests) {}

  @Get()
  @Scope('lambda:list')
  @ApiOperation({
    summary: 'List requests that annotate tasks and jobs',
    description: 'Those that are queued or started, and those that finished in the last half hour. There are no pages.',
  })
  @ApiOkResponse({ type: FunctionCallDto, isArray: true })
  list(@CurrentActor() actor: Actor): Promise<FunctionCallDto[]> {
    return this.requests.list(actor);
  }

  @Post()
  @HttpCode(200)
  @Scope('lambda:call:offline')
  @ApiOperation({
    summary: 'Annotate a task or job in the background',
    description:
      'A detector adds its results to the annotations; a reid function joins rectangles to tracks. A task can have one ' +
      'such request at a time.',
  })
  @ApiMissing('There is no such function')
  @ApiFunctionErrors(409, 503)
  @ApiOkResponse({ type: FunctionCallDto })
  create(
    @CurrentActor() actor: Actor,
    @JsonBody(CreateFunctionCallDto) body: Unvalidated<CreateFunctionCallDto>,
  ): Promise<FunctionCallDto> {
    return this.requests.create(actor, body);
  }

  @Get(':id')
  @Scope('lambda:view:request')
  @ApiOperation({ summary: 'Get the status of a request that annotates a task or job' })
  @ApiParam(ID)
  @ApiMissing(MISSING)
  @ApiOkResponse({ type: FunctionCallDto })
  get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<FunctionCallDto> {
    return this.requests.get(actor, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('lambda:cancel:request')
  @ApiOperation({
    summary: 'Cancel a request that annotates a task or job',
    description: 'Results that are already stored stay. Nothing happens to a request that has ended.',
  })
  @ApiParam(ID)
  @ApiMissing(MISSING)
  @ApiNoContentResponse({ description: 'The request is cancelled, or has ended' })
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    await this.requests.cancel(actor, id);
  }
}
