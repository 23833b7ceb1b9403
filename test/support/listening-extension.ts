import { Injectable, Module } from '@nestjs/common';
import type { ListenerContext } from '../../src/core/events/on-event.js';
import { type Extension, OnEvent, OnEventBatch, type StoredEvent, type Tx } from '../../src/extension.js';

declare module '../../src/core/events/event-map.js' {
  interface EventMap {
    'create:pebble': StoredEvent;
  }
}

type Handles<Given> = (given: Given, tx: Tx, context: ListenerContext) => unknown;

/** What the listeners of the extension do. A test sets it. */
export const listening: { each: Handles<StoredEvent>; batch: Handles<readonly StoredEvent[]> } = {
  each: () => undefined,
  batch: () => undefined,
};

@Injectable()
class Listening {
  @OnEvent('create:pebble', { listener: 'each pebble' })
  onPebble(event: StoredEvent, tx: Tx, context: ListenerContext): unknown {
    return listening.each(event, tx, context);
  }

  @OnEventBatch({ listener: 'batches' })
  onBatch(events: readonly StoredEvent[], tx: Tx, context: ListenerContext): unknown {
    return listening.batch(events, tx, context);
  }
}

@Module({ providers: [Listening] })
class ListeningModule {}

/** The value of CAIRN_EXTENSIONS that loads this file. */
export const LISTENING_EXTENSION = import.meta.filename;

export const extension: Extension = { name: 'listening', module: ListeningModule };
