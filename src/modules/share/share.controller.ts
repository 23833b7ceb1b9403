import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { parameter } from '../../core/list/page-request.js';
import { FileInfoDto, ShareService } from './share.service.js';
import type { Actor } from '../../shared/policy/actor.js';

@ApiTags('server')
@Controller('api/server')
export class ShareController {
  constructor(private readonly share: ShareService) {}

  @Get('share')
  @Scope('server:list:share')
  @ApiOperation({ summary: 'List a folder of the shared folder of the server' })
  @ApiQuery({
    name: 'directory',
    required: false,
    description: 'Path relative to the shared folder. Default: the shared folder itself',
  })
  @ApiQuery({ name: 'search', required: false, description: 'Only names that start with this text' })
  @ApiOkResponse({ type: FileInfoDto, isArray: true, description: 'Folders first, sorted by name' })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<FileInfoDto[]> {
    return this.share.list(actor, parameter(query, 'directory'), parameter(query, 'search'));
  }
}
