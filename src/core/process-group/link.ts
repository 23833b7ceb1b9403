import type { AbortOrder, Assignment, MemberDatabase, Outcome, Pulse, Ready } from './messages.js';

/** One end of a channel between two processes: `process` in a child, a worker of `node:cluster` in its parent. */
export interface Channel {
  send?(message: Message, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** What one process can be asked by another: the question, and its answer. */
export interface Questions {
  'metrics of the process': readonly [undefined, unknown];
  'metrics of the group': readonly [undefined, unknown];
  /** Of a member: where the database is, as soon as it runs. */
  database: readonly [undefined, MemberDatabase];
  /** Of the process that has claimed a request, and of the supervisor to a request process. */
  execute: readonly [Assignment, Outcome];
}

/** What one process tells another. */
export interface Notices {
  ready: Ready;
  /** The event loop of a member turns. */
  pulse: Pulse;
  stop: undefined;
  abort: AbortOrder;
}

interface Message {
  readonly cairn: 'question' | 'answer' | 'notice';
  /** Of the question; 0 for a notice. */
  readonly id: number;
  readonly name: string;
  readonly value?: unknown;
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' &&
  message !== null &&
  ['question', 'answer', 'notice'].includes((message as Message).cairn);

/** Questions, answers and notices between a process and its parent. */
export class Link {
  private readonly open = new Map<number, (value: never) => void>();
  private readonly answers = new Map<string, (value: never) => Promise<unknown>>();
  private readonly listeners = new Map<string, (value: never) => void>();
  private last = 0;

  constructor(private readonly channel: Channel) {
    channel.on('message', (message) => {
      if (!isMessage(message)) return;
      const { cairn, id, name, value } = message;
      if (cairn === 'question') void this.reply(id, name, value);
      else if (cairn === 'answer') this.open.get(id)?.(value as never);
      else this.listeners.get(name)?.(value as never);
    });
  }

  /** Declares how this process answers a question. An error is no answer. */
  answer<Q extends keyof Questions>(name: Q, give: (value: Questions[Q][0]) => Promise<Questions[Q][1]>): this {
    this.answers.set(name, give);
    return this;
  }

  /** Declares what this process does about a notice. */
  on<N extends keyof Notices>(name: N, listener: (value: Notices[N]) => void): this {
    this.listeners.set(name, listener);
    return this;
  }

  /** @returns undefined if the other process does not answer in time, or cannot */
  async ask<Q extends keyof Questions>(
    name: Q,
    { value, timeoutMs }: { readonly value?: Questions[Q][0]; readonly timeoutMs?: number } = {},
  ): Promise<Questions[Q][1] | undefined> {
    this.last += 1;
    const id = this.last;
    const answered = new Promise<Questions[Q][1] | undefined>((resolve) => {
      this.open.set(id, resolve);
      if (timeoutMs !== undefined) setTimeout(() => resolve(undefined), timeoutMs).unref();
    });
    this.send({ cairn: 'question', id, name, value });
    return answered.finally(() => this.open.delete(id));
  }

  tell<N extends keyof Notices>(name: N, value?: Notices[N]): void {
    this.send({ cairn: 'notice', id: 0, name, value });
  }

  private async reply(id: number, name: string, value: unknown): Promise<void> {
    const answer = await this.answers
      .get(name)?.(value as never)
      .catch(() => undefined);
    this.send({ cairn: 'answer', id, name, value: answer });
  }

  /** Nobody waits for an answer of a process that has ended: its end is noticed. */
  private send(message: Message): void {
    this.channel.send?.(message, () => undefined);
  }
}
