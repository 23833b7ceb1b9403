import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of a function as received over the wire. */
export interface FunctionCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What a function responds to a call: a JSON value, or a status with a text. */
type Answer = (call: FunctionCall) => unknown;

export interface FailedCall {
  readonly status: number;
  readonly text: string;
  /** The connection ends before the end of the text. */
  readonly isCut?: boolean;
}

/** A server with functions on the loopback interface: GET describes them, POST calls one by its path. */
export class FunctionServer {
  readonly calls: FunctionCall[] = [];
  /** By path; each describes itself with its id, and its path as `url`. */
  private readonly functions = new Map<string, { readonly description: object; answer: Answer }>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url: path = '', headers } = request;
        const send = (status: number, body: string): void => void response.writeHead(status).end(body);
        const sendPart = (status: number, body: string): void => {
          response.writeHead(status, { 'Content-Length': body.length + 1 }).write(body, () => response.destroy());
        };
        if (method === 'GET') return send(200, JSON.stringify(this.described(path)));
        const call = {
          path,
          headers,
          payload: JSON.parse(Buffer.concat(chunks).toString()) as FunctionCall['payload'],
        };
        this.calls.push(call);
        void this.answer(call).then(({ status, text, isCut }) => (isCut === true ? sendPart : send)(status, text));
        return undefined;
      });
    });
  }

  static async start(): Promise<FunctionServer> {
    const one = new FunctionServer();
    await new Promise<void>((resolve) => one.server.listen(0, '127.0.0.1', resolve));
    return one;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Adds a function, or replaces it. */
  add(description: { readonly id: string } & Readonly<Record<string, unknown>>, answer: Answer): void {
    const path = `/${description.id}`;
    this.functions.set(path, { description: { url: path, ...description }, answer });
  }

  /** Nuclio's API is at `/api/functions`. */
  private described(path: string): unknown {
    const all = [...this.functions.values()].map(({ description }) => description);
    if (path !== '/api/functions') return all;
    return Object.fromEntries(all.map((one) => [(one as { id: string }).id, nuclioItem(one as { id: string })]));
  }

  private async answer(call: FunctionCall): Promise<FailedCall> {
    const name = call.headers['x-nuclio-function-name'];
    const one = this.functions.get(name === undefined ? call.path : `/${String(name)}`);
    if (one === undefined) return { status: 404, text: 'no such function' };
    const value = await one.answer(call);
    return isFailure(value) ? value : { status: 200, text: JSON.stringify(value) };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const isFailure = (value: unknown): value is FailedCall =>
  typeof value === 'object' && value !== null && 'status' in value && 'text' in value;

/** A description as Nuclio returns it: all annotations are texts. */
const nuclioItem = ({ id, description = '', ...annotations }: Readonly<Record<string, unknown>>): object => ({
  metadata: {
    name: id,
    annotations: Object.fromEntries(
      Object.entries(annotations)
        .filter(([key]) => key !== 'url')
        .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  },
  spec: { description },
  status: { httpPort: 49_152 },
});

/** A detector of cars that finds one rectangle on each frame. */
export const CAR_DETECTOR = {
  id: 'cars',
  name: 'Car finder',
  type: 'detector',
  spec: [{ name: 'car', type: 'rectangle' }],
};
export const ONE_CAR = [{ confidence: '0.75', label: 'car', type: 'rectangle', points: [1, 2, 30, 20] }];
