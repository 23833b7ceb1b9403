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
  @ApiOperation({ summary: 'Files in the shared folder of the server, of which tasks can be made' })
  @ApiQuery({ name: 'directory', required: false, description: 'Folder below the shared one; that one without it' })
  @ApiQuery({ name: 'search', required: false, description: 'Only names that begin so' })
  @ApiOkResponse({ type: FileInfoDto, isArray: true, description: 'Folders first, then by name' })
  list(@CurrentActor() actor: Actor, @Query() query: Record<string, unknown>): Promise<FileInfoDto[]> {
    return this.share.list(actor, parameter(query, 'directory'), parameter(query, 'search'));
  }
}
