import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AnnotationsModule } from '../annotations/index.js';
import { JobsModule } from '../jobs/index.js';
import { LabelsModule } from '../labels/index.js';
import { TasksModule } from '../tasks/index.js';
import { FunctionController } from './function.controller.js';
import { FunctionRepository } from './function.repository.js';
import { FunctionService } from './function.service.js';
import { AgentCalls } from './queues/agent-calls.js';
import { AgentRepository } from './queues/agent.repository.js';
import { AnnotationRequestRepository } from './queues/annotation-request.repository.js';
import { AnnotationRequests } from './queues/annotation-requests.js';
import { AnnotationTargets } from './queues/annotation-targets.js';
import { QueueCompletion } from './queues/queue.completion.js';
import { QueueController } from './queues/queue.controller.js';
import { QueueService } from './queues/queue.service.js';
import { QueueStreams } from './queues/queue.streams.js';
import { QueueUpkeep } from './queues/queue.upkeep.js';
import { QueueWatcher } from './queues/queue.watcher.js';

export { type FunctionDto } from './function.dto.js';
export { FunctionService } from './function.service.js';
export { AnnotationRequests, type AskedAnnotation, type Outcome } from './queues/annotation-requests.js';

/** Functions that agents execute: their registry, and the queues with requests for them. */
@Module({
  imports: [AnnotationsModule, JobsModule, LabelsModule, TasksModule],
  controllers: [FunctionController, QueueController],
  providers: [
    FunctionRepository,
    FunctionService,
    AgentRepository,
    AnnotationRequestRepository,
    AnnotationRequests,
    AnnotationTargets,
    QueueCompletion,
    QueueService,
    QueueStreams,
    QueueUpkeep,
    QueueWatcher,
    { provide: APP_INTERCEPTOR, useClass: AgentCalls },
  ],
  exports: [AnnotationRequests, FunctionService],
})
export class FunctionsModule {}
