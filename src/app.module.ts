import { type DynamicModule, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { CoreModule } from './core/core.module.js';
import { dataSourceOptions } from './core/database/data-source.js';
import type { Extension } from './core/extensions/load-extensions.js';
import type { Logger } from './core/logging/logger.js';
import { LoggingModule } from './core/logging/logging.module.js';
import { AnnotationsModule } from './modules/annotations/index.js';
import { AssignmentsModule } from './modules/assignments/index.js';
import { AuthModule } from './modules/auth/index.js';
import { CloudStoragesModule } from './modules/cloudstorages/index.js';
import { CommentsModule } from './modules/comments/index.js';
import { ConsensusModule } from './modules/consensus/index.js';
import { DocsModule } from './modules/docs/index.js';
import { EventSinkModule } from './modules/event-sink/index.js';
import { EventsModule } from './modules/events/index.js';
import { ExchangeModule } from './modules/exchange/index.js';
import { FunctionsModule } from './modules/functions/index.js';
import { GuidesModule } from './modules/guides/index.js';
import { InspectModule } from './modules/inspect/index.js';
import { InvitationsModule } from './modules/invitations/index.js';
import { IssuesModule } from './modules/issues/index.js';
import { JobsModule } from './modules/jobs/index.js';
import { LabelsModule } from './modules/labels/index.js';
import { LambdaModule } from './modules/lambda/index.js';
import { MediaModule } from './modules/media/index.js';
import { MembershipsModule } from './modules/memberships/index.js';
import { OrganizationsModule } from './modules/organizations/index.js';
import { PresenceModule } from './modules/presence/index.js';
import { ProjectsModule } from './modules/projects/index.js';
import { QualityModule } from './modules/quality/index.js';
import { RequestsModule } from './modules/requests/index.js';
import { ServerModule } from './modules/server/index.js';
import { ShareModule } from './modules/share/index.js';
import { TasksModule } from './modules/tasks/index.js';
import { UsersModule } from './modules/users/index.js';
import { ValidationModule } from './modules/validation/index.js';
import { WebModule } from './modules/web/index.js';
import { WebhooksModule } from './modules/webhooks/index.js';
import { schemaWith } from './extended-schema.js';

/** Only lists the modules. */
@Module({})
export class AppModule {
  static of(config: Config, log: Logger, extensions: readonly Extension[] = []): DynamicModule {
    const database = {
      url: config.databaseUrl,
      pooled: config.databaseDirectUrl !== '',
      // If nothing is known of the pooler, as in a command, statements are sent unprepared, which always works.
      prepared: config.databasePrepared ?? config.databaseDirectUrl === '',
      poolSize: config.databasePoolSize,
      connectTimeoutMs: config.databaseConnectTimeoutMs,
      responseTimeoutMs: config.databaseResponseTimeoutMs,
      ...schemaWith(extensions),
    };
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        LoggingModule.of(log),
        TypeOrmModule.forRoot({ ...dataSourceOptions(database), retryAttempts: 0 }),
        EventEmitterModule.forRoot(),
        CoreModule,
        AuthModule,
        UsersModule,
        OrganizationsModule,
        MembershipsModule,
        InvitationsModule,
        ProjectsModule,
        LabelsModule,
        TasksModule,
        JobsModule,
        AnnotationsModule,
        PresenceModule,
        RequestsModule,
        MediaModule,
        ValidationModule,
        ConsensusModule,
        ExchangeModule,
        QualityModule,
        FunctionsModule,
        LambdaModule,
        EventsModule,
        EventSinkModule,
        IssuesModule,
        AssignmentsModule,
        CommentsModule,
        GuidesModule,
        WebhooksModule,
        InspectModule,
        ServerModule,
        ShareModule,
        CloudStoragesModule,
        DocsModule,
        WebModule,
        ...extensions.flatMap((extension) => extension.module ?? []),
      ],
    };
  }
}
