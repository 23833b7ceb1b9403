import { Module } from '@nestjs/common';
import { EventSinkQueue } from './event-sink.queue.js';
import { EventSinkUpkeep } from './event-sink.upkeep.js';
import { EventSinkWorker } from './event-sink.worker.js';

export { EventSinkQueue } from './event-sink.queue.js';
export { EventSinkUpkeep } from './event-sink.upkeep.js';
export { EventSinkWorker, withoutSecrets } from './event-sink.worker.js';

/** Publishes the events of the server to a message broker. It listens to events and uses no service of a resource. */
@Module({ providers: [EventSinkQueue, EventSinkUpkeep, EventSinkWorker] })
export class EventSinkModule {}
