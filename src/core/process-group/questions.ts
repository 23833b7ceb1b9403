/** One end of a channel between two processes: `process` in a child, a worker of `node:cluster` in its parent. */
export interface Channel {
  send?(message: Message): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** What one process can be asked by another. */
export type Question = 'metrics of the process' | 'metrics of the group';

interface Message {
  readonly cairn: 'question' | 'answer';
  readonly id: number;
  readonly question: Question;
  /** Of an answer; undefined if there is none. */
  readonly value?: unknown;
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && ['question', 'answer'].includes((message as Message).cairn);

/** Questions and answers between a process of a group and its parent. */
export class Questions {
  private readonly open = new Map<number, (value: unknown) => void>();
  private last = 0;

  /** @param answers to the questions of the other process */
  constructor(
    private readonly channel: Channel,
    private readonly answers: Readonly<Partial<Record<Question, () => Promise<unknown>>>>,
  ) {
    channel.on('message', (message) => {
      if (!isMessage(message)) return;
      if (message.cairn === 'question') void this.answer(message);
      else this.open.get(message.id)?.(message.value);
    });
  }

  /** @returns undefined if the other process does not answer in time */
  async ask(question: Question, timeoutMs: number): Promise<unknown> {
    this.last += 1;
    const id = this.last;
    const answered = new Promise<unknown>((resolve) => {
      this.open.set(id, resolve);
      setTimeout(() => resolve(undefined), timeoutMs).unref();
    });
    this.send({ cairn: 'question', id, question });
    return answered.finally(() => this.open.delete(id));
  }

  private async answer({ id, question }: Message): Promise<void> {
    const value = await this.answers[question]?.().catch(() => undefined);
    this.send({ cairn: 'answer', id, question, value });
  }

  private send(message: Message): void {
    try {
      this.channel.send?.(message);
    } catch {
      // The other process has ended.
    }
  }
}
