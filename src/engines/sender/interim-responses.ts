import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const STATUS_LINE = /^HTTP\/1\.\d 1(?!01)\d\d[ \r\n]/;
const STATUS_LINE_BYTES = 13;
const PREFIX = 'HTTP/1.';
const HEAD_END = '\r\n\r\n';

/** Larger ones are left to the parser, which refuses them. */
const MAX_BYTES = 16 * 1024;

/**
 * Removes interim responses (RFC 9110, 15.2) from what a socket reads. Servers may send `100 Continue` unasked, which
 * undici takes for a fault; a client must be able to skip all of them. 101 is not interim: undici refuses it.
 */
export class InterimResponses {
  /** The beginning of a response that has not been recognized yet. */
  private held: Buffer = EMPTY;
  private isHead = true;

  /** A new request was sent: the next bytes begin its response. */
  expectResponse(): void {
    this.held = EMPTY;
    this.isHead = true;
  }

  /** @returns what follows the interim responses; empty if more bytes are needed to tell */
  skip(chunk: Buffer): Buffer {
    if (!this.isHead) return chunk;
    let rest = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = EMPTY;
    for (;;) {
      const start = rest.toString('latin1', 0, STATUS_LINE_BYTES);
      const mayBeInterim = rest.length < STATUS_LINE_BYTES && PREFIX.startsWith(start.slice(0, PREFIX.length));
      const end = STATUS_LINE.test(start) ? rest.indexOf(HEAD_END) : undefined;
      if ((end === undefined && !mayBeInterim) || (end === -1 && rest.length > MAX_BYTES)) {
        this.isHead = false;
        return rest;
      }
      if (end === undefined || end === -1) {
        this.held = rest;
        return EMPTY;
      }
      rest = rest.subarray(end + HEAD_END.length);
      if (rest.length === 0) return EMPTY;
    }
  }
}

const EMPTY = Buffer.alloc(0);

/** Sockets that skip interim responses, with what they expect. */
const skipping = new WeakMap<Socket, InterimResponses>();

/** Makes a socket, from which undici reads, skip interim responses. */
export function withoutInterimResponses<Connection extends Socket>(
  socket: Connection,
  responses = new InterimResponses(),
): Connection {
  skipping.set(socket, responses);
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size);
      if (chunk === null) return null;
      const rest = responses.skip(chunk);
      if (rest.length > 0) return rest;
    }
  };
  return socket;
}

/**
 * Makes `fetch` skip interim responses, too, from now on. Libraries use it for requests to identity providers and others.
 * Its connections are not accessible in another way than by the events that it publishes.
 * @returns undoes it for new connections
 */
export function skipInterimResponsesOfFetch(): () => void {
  const onConnected = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (!skipping.has(socket)) withoutInterimResponses(socket);
  };
  const onSent = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    skipping.get(socket)?.expectResponse();
  };
  subscribe(CONNECTED, onConnected);
  subscribe(SENT, onSent);
  return () => void (unsubscribe(CONNECTED, onConnected), unsubscribe(SENT, onSent));
}

/** Events of undici, which is part of Node.js. */
const CONNECTED = 'undici:client:connected';
const SENT = 'undici:client:sendHeaders';
