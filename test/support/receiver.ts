import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as received over the wire. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body as JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
}

type Answer = (response: ServerResponse, arrival: Arrival) => void;

/** A webhook receiver on the loopback interface that stores what it receives. */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  /** How to respond to requests; 200 by default. */
  answer: Answer = (response) => response.end('thank you');

  private readonly arrival = new EventEmitter();

  constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const payload = JSON.parse(bytes.toString('utf8')) as Arrival['payload'];
        const { method = '', url: path = '', headers } = request;
        const arrival = { method, path, headers, bytes, payload };
        this.arrivals.push(arrival);
        this.arrival.emit('arrival');
        this.answer(response, arrival);
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Responds to every request with this status. */
  answerWith(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.answer = (response) => response.writeHead(status, headers).end();
  }

  /** Names of the received events, in order. */
  get events(): unknown[] {
    return this.arrivals.map(({ payload }) => payload['event']);
  }

  /** Resolves when this many requests have arrived. */
  async arrived(count: number): Promise<void> {
    while (this.arrivals.length < count) await once(this.arrival, 'arrival');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Starts a receiver on a free port. */
export async function createReceiver(): Promise<Receiver> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new Receiver(server);
}
