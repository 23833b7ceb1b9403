import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { CONFIG, type Config } from '../../config/config.js';
import type { Tx } from '../database/tx.js';
import { Discovery } from '../discovery/discovery.js';
import { type ListenerContext, type ListenerMark, ListensToEvents } from './on-event.js';

type Method = (given: unknown, tx: Tx, context: ListenerContext) => unknown;

/** A method that is called with events. */
export interface Listener {
  readonly name: string;
  /** Names of the events that it gets; null: all. */
  readonly events: ReadonlySet<string> | null;
  /** Whether it is called with a batch of events, or with each. */
  readonly isBatch: boolean;
  /** Whether errors that nobody handles count as failures of the listener, instead of ending the process. */
  readonly isOfExtension: boolean;
  readonly call: Method;
}

/** The listeners of this process: methods with `@OnEvent` and `@OnEventBatch`. */
@Injectable()
export class Listeners {
  private found: readonly Found[] | undefined;

  constructor(
    private readonly discovery: Discovery,
    private readonly emitter: EventEmitter2,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Those that have something to do. */
  get wanted(): readonly Listener[] {
    return this.all.filter(({ isWanted }) => isWanted).map(({ listener }) => listener);
  }

  /** Names of the others. */
  get unwanted(): readonly string[] {
    return this.all.filter(({ isWanted }) => !isWanted).map(({ listener }) => listener.name);
  }

  private get all(): readonly Found[] {
    this.found ??= grouped(this.discovery.methods(ListensToEvents)).map((marks) => ({
      listener: listenerOf(marks, this.caller(marks)),
      isWanted: marks.every(({ isWanted = () => true }) => isWanted(this.config)),
    }));
    return this.found;
  }

  /** Calls the method through Nest's emitter, which knows it once the application has started. */
  private caller([mark]: readonly ListenerMark[]): Method {
    return async (...given) => {
      const { emitted, listener } = mark as ListenerMark;
      if (this.emitter.listenerCount(emitted) !== 1) throw new Error(`The listener ${listener} is not ready`);
      const [result] = (await this.emitter.emitAsync(emitted, ...given)) as unknown[];
      return result;
    };
  }
}

interface Found {
  readonly listener: Listener;
  readonly isWanted: boolean;
}

/** @throws Error if two methods have the same name */
function grouped(methods: readonly { readonly data: ListenerMark }[]): ListenerMark[][] {
  const groups = new Map<string, ListenerMark[]>();
  for (const { data } of methods) {
    const marks = groups.get(data.listener) ?? [];
    if (marks[0] !== undefined && marks[0].emitted !== data.emitted)
      throw new Error(`There are two listeners named ${data.listener}. Name one of them with the option "listener".`);
    groups.set(data.listener, [...marks, data]);
  }
  return [...groups.values()];
}

function listenerOf(marks: readonly ListenerMark[], call: Method): Listener {
  const events = marks.flatMap(({ event }) => (event === null ? [] : [event]));
  const isBatch = events.length < marks.length;
  if (isBatch && events.length > 0)
    throw new Error(`${marks[0]?.listener ?? ''} cannot have both @OnEvent and @OnEventBatch.`);
  return {
    name: marks[0]?.listener ?? '',
    events: isBatch ? null : new Set(events),
    isBatch,
    isOfExtension: marks.some((mark) => mark.isOfExtension),
    call,
  };
}
