import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { ActorReloader } from './access/actor-reloader.js';
import { Actors } from './access/actors.js';
import { AuthGuard } from './access/auth.guard.js';
import { OrganizationContextReader } from './access/organization-context.js';
import { Throttles } from './access/throttles.js';
import { ReferencedUsers } from './access/referenced-users.js';
import { Clock } from './clock.js';
import { Db } from './database/db.js';
import { ProcessConnection } from './database/process-connection.js';
import { ProcessLocks } from './database/process-locks.js';
import { TableUpkeep } from './worker/table-upkeep.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { Discovery } from './discovery/discovery.js';
import { Preconditions } from './http/conditional/preconditions.js';
import { EventChannels } from './http/response/server-sent-events.js';
import { OpenRequests } from './http/app/open-requests.js';
import { ErrorFilter } from './http/app/error.filter.js';
import { IdempotencyGuard } from './idempotency/idempotency.guard.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { MediaCache } from './media-storage/media-cache.js';
import { HeldRemovals } from './media-storage/held-removals.js';
import { MediaPlaces } from './media-storage/media-places.js';
import { MediaStorage } from './media-storage/media-storage.js';
import { ImageWorker } from './images/image-worker.js';
import { ListService } from './list/list.service.js';
import { Mailer } from './mail/mailer.js';
import { OutboxWriter } from './events/outbox.writer.js';
import { OutboxCleaner } from './events/outbox.cleaner.js';
import { ListenerPositions } from './events/listener-positions.js';
import { ListenerRunners } from './events/listener-runners.js';
import { ListenerStates } from './events/listener-states.js';
import { Listeners } from './events/listeners.js';
import { ListenerTransactions } from './events/listener-transactions.js';
import { OutboxReader } from './events/outbox.reader.js';
import { OutboxRelay } from './events/outbox.relay.js';
import { OutboxSequencer } from './events/outbox.sequencer.js';
import { Quarantine } from './events/quarantine.js';
import { Backlogs } from './metrics/backlogs.js';
import { Metrics, PoolMetrics } from './metrics/metrics.js';
import { Cascades } from './events/cascades.js';
import { ChangeLog } from './event-log/change-log.js';
import { RequestTrail } from './event-log/request-trail.js';
import { Events } from './events/events.js';
import { EventLog } from './event-log/event-log.js';
import { EventPartitions } from './event-log/event-partitions.js';
import { RemoteAgents } from './remote/remote-agents.js';
import { ServerSecret } from './secret.js';
import { LingeringWork } from './worker/lingering-work.js';
import { LiveProcesses } from './worker/live-processes.js';
import { ProcessDuties } from './worker/process-duties.js';
import { Notifier } from './worker/notifier.js';
import { Workers } from './worker/workers.js';
import { Representations } from './versioning/representations.js';
import { VersionGuard } from './versioning/version.guard.js';
import { ResponseVersion } from './versioning/response-version.js';

/** The base of all resources. The order of the guards matters: API version first, then authentication. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    Discovery,
    Clock,
    ServerSecret,
    Db,
    OpenRequests,
    Metrics,
    Backlogs,
    PoolMetrics,
    ProcessConnection,
    ProcessLocks,
    LingeringWork,
    LiveProcesses,
    ProcessDuties,
    Notifier,
    UnitOfWork,
    Workers,
    TableUpkeep,
    OutboxWriter,
    OutboxRelay,
    OutboxSequencer,
    OutboxReader,
    OutboxCleaner,
    Listeners,
    ListenerPositions,
    ListenerRunners,
    ListenerStates,
    ListenerTransactions,
    Quarantine,
    Cascades,
    Events,
    EventLog,
    EventPartitions,
    RequestTrail,
    ChangeLog,
    ImageWorker,
    MediaCache,
    HeldRemovals,
    MediaPlaces,
    MediaStorage,
    ListService,
    Representations,
    ResponseVersion,
    OrganizationContextReader,
    ReferencedUsers,
    Throttles,
    Actors,
    ActorReloader,
    Mailer,
    Preconditions,
    EventChannels,
    RemoteAgents,
    AuthGuard,
    IdempotencyRepository,
    IdempotencyGuard,
    { provide: APP_GUARD, useClass: VersionGuard },
    { provide: APP_GUARD, useExisting: AuthGuard },
    { provide: APP_GUARD, useExisting: IdempotencyGuard },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [
    Discovery,
    Workers,
    RemoteAgents,
    Preconditions,
    EventChannels,
    Clock,
    ServerSecret,
    Db,
    ProcessLocks,
    LingeringWork,
    LiveProcesses,
    ProcessDuties,
    Notifier,
    Metrics,
    Backlogs,
    UnitOfWork,
    OutboxWriter,
    OutboxRelay,
    ListenerStates,
    Quarantine,
    Cascades,
    Events,
    EventLog,
    EventPartitions,
    RequestTrail,
    ChangeLog,
    ImageWorker,
    MediaCache,
    MediaStorage,
    ListService,
    Representations,
    AuthGuard,
    ReferencedUsers,
    Throttles,
    Actors,
    ActorReloader,
    Mailer,
  ],
})
export class CoreModule {}
