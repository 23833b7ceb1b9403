import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { JobsModule } from '../jobs/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { TasksModule } from '../tasks/index.js';
import { LabelsModule } from '../labels/index.js';
import { AgreementController } from './agreement/agreement.controller.js';
import { AgreementHandler } from './agreement/agreement.handler.js';
import { AgreementRepository } from './agreement/agreement.repository.js';
import { AgreementService, CALCULATE_AGREEMENT } from './agreement/agreement.service.js';
import { ConsensusController } from './consensus.controller.js';
import { ConsensusRepository } from './consensus.repository.js';
import { ConsensusSettings } from './consensus-settings.service.js';
import { MergeHandler } from './merge.handler.js';
import { MergeRepository } from './merge.repository.js';
import { MERGE_TYPES, MergeService } from './merge.service.js';
import { Replicas } from './replicas.js';

declareRequestEvents([...Object.values(MERGE_TYPES), CALCULATE_AGREEMENT]);

/** Merges the replicas of jobs, and measures how far their annotators agree. */
@Module({
  imports: [AnnotationsModule, JobsModule, LabelsModule, RequestsModule, TasksModule],
  controllers: [ConsensusController, AgreementController],
  providers: [
    AgreementHandler,
    AgreementRepository,
    AgreementService,
    ConsensusRepository,
    ConsensusSettings,
    MergeHandler,
    MergeRepository,
    MergeService,
    Replicas,
  ],
})
export class ConsensusModule {}
