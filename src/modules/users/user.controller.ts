import { Controller, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body/body.js';
import { IdPipe } from '../../core/http/request/ids.js';
import { ApiList } from '../../core/list/api-list.decorator.js';
import { type Page, pageDto } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { accountList, UserChangeDto, UserDto } from './user.dto.js';
import { UserService } from './user.service.js';

@ApiTags('users')
@Controller('api/users')
export class UserController {
  constructor(private readonly users: UserService) {}

  @Get()
  @Scope('user:list')
  @ApiOperation({
    summary:
      'List the members of the organization. Without an organization, administrators see all users, others only themselves.',
    description: 'Only staff can filter, sort and search by e-mail address, role and dates.',
  })
  @ApiList(accountList)
  @ApiOkResponse({ type: pageDto(UserDto) })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<Page<UserDto>> {
    return this.users.list(actor, query);
  }

  @Get('self')
  @Scope('user:view')
  @ApiOperation({ summary: 'Get the authenticated user' })
  @ApiOkResponse({ type: UserDto })
  self(@CurrentActor() actor: Actor): Promise<UserDto> {
    return this.users.get(actor, actor.id);
  }

  @Get(':id')
  @Scope('user:view')
  @ApiOperation({ summary: 'Get a user' })
  @ApiOkResponse({ type: UserDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<UserDto> {
    return this.users.get(actor, id);
  }

  @Patch(':id')
  @Scope('user:update', 'refused')
  @ApiOperation({ summary: 'Update a user. Users who are not staff can only change their names.' })
  @ApiOkResponse({ type: UserDto })
  update(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(UserChangeDto) body: Unvalidated<UserChangeDto>,
  ): Promise<UserDto> {
    return this.users.update(actor, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Scope('user:delete', 'refused')
  @ApiOperation({ summary: 'Delete a user. What they created stays, without an owner.' })
  @ApiNoContentResponse({ description: 'Deleted' })
  delete(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<void> {
    return this.users.delete(actor, id);
  }
}
