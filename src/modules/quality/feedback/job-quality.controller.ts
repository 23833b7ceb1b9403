import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../../core/access/current-actor.decorator.js';
import { Scope } from '../../../core/access/scope.decorator.js';
import { IdPipe } from '../../../core/http/request/ids.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { JobFeedback } from './job-feedback.js';
import { JobQualityDto } from './job-quality.dto.js';

@ApiTags('quality')
@Controller('api/jobs')
export class JobQualityController {
  constructor(private readonly feedback: JobFeedback) {}

  @Get(':id/quality')
  @Scope('job:view')
  @ApiOperation({
    summary: 'Get the outcome of the check that follows the completion of a job',
    description:
      'Only the numbers, for the annotator of the job. `max_validations_per_job` in the quality settings says how often ' +
      'a job is checked.',
  })
  @ApiOkResponse({ type: JobQualityDto })
  get(@CurrentActor() actor: Actor, @Param('id', IdPipe) id: number): Promise<JobQualityDto> {
    return this.feedback.of(actor, id);
  }
}
