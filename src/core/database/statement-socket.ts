import { Socket } from 'node:net';

/**
 * Sends the prepared statements of one event-loop turn with one system call. The driver corks and uncorks the socket
 * for each of them; here it stays corked until the turn ends.
 */
export class StatementSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork());
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the signature of Writable, for all its overloads
  override end(...values: any[]): this {
    while (this.writableCorked > 0) super.uncork();
    return super.end(...(values as []));
  }
}
