import { Module } from '@nestjs/common';
import { ExchangeModule } from '../exchange/index.js';
import { ProjectsModule } from '../projects/index.js';
import { declareRequestEvents, RequestsModule } from '../requests/index.js';
import { ActivityController } from './activity/activity.controller.js';
import { ActivityRepository } from './activity/activity.repository.js';
import { ActivityService } from './activity/activity.service.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditService } from './audit/audit.service.js';
import { ClientEventsService } from './client/client-events.service.js';
import { EventController } from './event.controller.js';
import { EventExportHandler, EXPORT_EVENTS } from './export/event-export.handler.js';
import { EventExportService } from './export/event-export.service.js';
import { EventExportController } from './export/event-export.controller.js';
import { AnnotationRows } from './server/annotation-rows.js';
import { SavedObjectsRepository } from './server/saved-objects.repository.js';
import { ServerEvents } from './server/server-events.js';
import { SupervisionController } from './supervision/supervision.controller.js';
import { SupervisionService } from './supervision/supervision.service.js';

declareRequestEvents([EXPORT_EVENTS]);

/** Stores what clients and the server do, exports it, and shows the audit log. */
@Module({
  imports: [ExchangeModule, ProjectsModule, RequestsModule],
  controllers: [ActivityController, AuditController, EventController, EventExportController, SupervisionController],
  providers: [
    ActivityRepository,
    ActivityService,
    AnnotationRows,
    AuditService,
    ClientEventsService,
    EventExportHandler,
    EventExportService,
    SavedObjectsRepository,
    ServerEvents,
    SupervisionService,
  ],
})
export class EventsModule {}
