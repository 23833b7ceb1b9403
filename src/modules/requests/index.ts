import { Module } from '@nestjs/common';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { JobsModule } from '../jobs/index.js';
import { ProjectsModule } from '../projects/index.js';
import { TasksModule } from '../tasks/index.js';
import { BackgroundRequests, RequestHandlers } from './background-requests.js';
import { RequestController } from './request.controller.js';
import { requestVersions } from './request.dto.js';
import { RequestEvents } from './request.events.js';
import { RequestMetrics, RequestRepository } from './request.repository.js';
import { RequestExecutions } from './request.executions.js';
import { RequestAccess, RequestService } from './request.service.js';
import { RequestWorker } from './request.worker.js';
import { ResultFiles } from './result-files.js';

export {
  BackgroundRequests,
  type BackgroundWork,
  isInterrupted,
  loadOwner,
  stillPermitted,
  RequestCancelled,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  HandlesRequests,
  RequestHandlers,
  RequestInterrupted,
  type RequestResult,
  toRequestFailure,
} from './background-requests.js';
export type { ImportReportDto } from './import-report.dto.js';
export { currentRequestId, type QualityOutcomeDto, requestIdOf } from './request.dto.js';
export { RequestRepository, type ResultRow } from './request.repository.js';
export { declareRequestEvents } from './request.events.js';
export { RequestExecutions } from './request.executions.js';
export { ResultFiles } from './result-files.js';
export { RequestWorker } from './request.worker.js';

@Module({
  imports: [ProjectsModule, TasksModule, JobsModule],
  controllers: [RequestController],
  providers: [
    BackgroundRequests,
    RequestEvents,
    RequestExecutions,
    RequestHandlers,
    RequestMetrics,
    RequestRepository,
    RequestAccess,
    RequestService,
    RequestWorker,
    ResultFiles,
  ],
  exports: [BackgroundRequests, RequestExecutions, RequestHandlers, RequestRepository, RequestWorker, ResultFiles],
})
export class RequestsModule {
  @Represents()
  versions(): Representation {
    return requestVersions;
  }
}
