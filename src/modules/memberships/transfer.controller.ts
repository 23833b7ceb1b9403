import { Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import { Scope } from '../../core/access/scope.decorator.js';
import { JsonBody, type Unvalidated } from '../../core/http/body.js';
import { IdPipe } from '../../core/http/id.pipe.js';
import type { Actor } from '../../shared/policy/actor.js';
import { OrganizationDto } from '../organizations/index.js';
import { TransferDto } from './transfer.dto.js';
import { TransferService } from './transfer.service.js';

@ApiTags('organizations')
@Controller('api/organizations')
export class TransferController {
  constructor(@Inject(TransferService) private readonly transfers: TransferService) {}

  @Post(':id/transfer')
  @HttpCode(200)
  @Scope('organization:transfer')
  @ApiOperation({ summary: 'Give an organization to another member; the former owner becomes a maintainer' })
  @ApiOkResponse({ type: OrganizationDto })
  transfer(
    @CurrentActor() actor: Actor,
    @Param('id', IdPipe) id: number,
    @JsonBody(TransferDto) body: Unvalidated<TransferDto>,
  ): Promise<OrganizationDto> {
    return this.transfers.transfer(actor, id, body);
  }
}
