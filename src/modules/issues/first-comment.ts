import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import type { Actor } from '../../policy/actor.js';

type Writer = (tx: Tx, actor: Actor, issueId: number, message: string) => Promise<unknown>;

/** The message of a new issue becomes its first comment. Comments know issues, not the other way round: they register. */
@Injectable()
export class FirstComment {
  private writer: Writer | undefined;

  writeWith(writer: Writer): void {
    this.writer = writer;
  }

  async write(tx: Tx, actor: Actor, issueId: number, message: string): Promise<void> {
    if (this.writer === undefined) throw new Error('nobody writes the comments of issues');
    await this.writer(tx, actor, issueId, message);
  }
}
