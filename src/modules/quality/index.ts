import { Module } from '@nestjs/common';
import { AnnotationsModule } from '../annotations/index.js';
import { JobsModule } from '../jobs/index.js';
import { LabelsModule } from '../labels/index.js';
import { MediaModule } from '../media/index.js';
import { ProjectsModule } from '../projects/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { TasksModule } from '../tasks/index.js';
import { CheckedTaskRepository } from './computation/checked-task.repository.js';
import { ProjectComparisons } from './computation/project-comparison.js';
import { CALCULATE_QUALITY, QualityRequestHandler } from './computation/quality-request.handler.js';
import { QualityRequestQueue, QualityRequests } from './computation/quality-requests.js';
import { ReportWriter } from './computation/report-writer.js';
import { TaskComparisons } from './computation/task-comparison.js';
import { QualityConflictController } from './conflicts/quality-conflict.controller.js';
import { QualityConflictService } from './conflicts/quality-conflict.service.js';
import { JobFeedback } from './feedback/job-feedback.js';
import { JobQualityController } from './feedback/job-quality.controller.js';
import { QualityTargets } from './quality-targets.js';
import { ConfusionService } from './reports/confusion.js';
import { ConfusionController } from './reports/confusion.controller.js';
import { QualityReportController } from './reports/quality-report.controller.js';
import { QualityReportRepository } from './reports/quality-report.repository.js';
import { QualityReportService } from './reports/quality-report.service.js';
import { QualityRequirementController } from './requirements/quality-requirement.controller.js';
import { QualityRequirementService } from './requirements/quality-requirement.service.js';
import { QualitySettingsController } from './settings/quality-settings.controller.js';
import { QualitySettingsRepository } from './settings/quality-settings.repository.js';
import { QualitySettingsService, SettingsOwners } from './settings/quality-settings.service.js';

declareRequestEvents([CALCULATE_QUALITY]);

@Module({
  imports: [AnnotationsModule, JobsModule, LabelsModule, MediaModule, ProjectsModule, RequestsModule, TasksModule],
  controllers: [
    QualityRequirementController, // before the settings, whose routes have an id in the same place
    QualitySettingsController,
    QualityReportController,
    ConfusionController,
    QualityConflictController,
    JobQualityController,
  ],
  providers: [
    CheckedTaskRepository,
    ConfusionService,
    JobFeedback,
    ProjectComparisons,
    QualityConflictService,
    QualityReportRepository,
    QualityReportService,
    QualityRequestHandler,
    QualityRequestQueue,
    QualityRequests,
    QualityRequirementService,
    QualitySettingsRepository,
    QualitySettingsService,
    QualityTargets,
    ReportWriter,
    SettingsOwners,
    TaskComparisons,
  ],
})
export class QualityModule {}
