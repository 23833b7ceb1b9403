import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { readConfig } from '../../../src/config/env.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { startTracing, type StopTracing } from '../../../src/core/tracing/start-tracing.js';
import { RemoteAgents } from '../../../src/core/remote/remote-agents.js';
import { AzureContainer } from '../../../src/engines/object-storage/azure-container.js';
import type { Bucket } from '../../../src/engines/object-storage/bucket.js';
import { GoogleBucket } from '../../../src/engines/object-storage/google-bucket.js';
import { traced, useTracer } from '../../../src/engines/tracing/tracing.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface ExportBody {
  readonly resourceSpans: readonly {
    readonly resource: Pick<ExportedSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** Receives spans as an OpenTelemetry collector does. */
class Collector {
  readonly requests: { readonly path: string; readonly type: string; readonly bytes: Buffer }[] = [];
  private readonly server: Server = createServer((request, response) => {
    void bodyOf(request).then((bytes) => {
      this.requests.push({ path: request.url ?? '', type: request.headers['content-type'] ?? '', bytes });
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get bodies(): ExportBody[] {
    return this.requests.map(({ bytes }) => JSON.parse(bytes.toString()) as ExportBody);
  }

  get spans(): ExportedSpan[] {
    return this.bodies.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close').catch(() => undefined);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const attribute = ({ attributes }: Pick<ExportedSpan, 'attributes'>, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const FAILING_TRACE = '1af7651916cd43dd8448eb211c80319c';

/** Starts exporting to the collector. */
async function tracingTo(collector: Collector, protocol: string): Promise<StopTracing> {
  const config = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_SERVICE_NAME: 'cairn under test',
  });
  return startTracing(config, 'all', createLogger('silent'));
}

describe('traces', () => {
  const collector = new Collector();
  const logged: string[] = [];
  let receiver: Receiver;
  let app: TestApp;
  let spans: readonly ExportedSpan[];

  /** A span of a trace. */
  const named = (name: string, traceId: string): ExportedSpan => {
    const trace = spans.filter((span) => span.traceId === traceId);
    const found = trace.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span ${name} among ${trace.map((span) => span.name).join(', ')}`);
    return found;
  };

  beforeAll(async () => {
    receiver = await createReceiver();
    const stopTracing = await tracingTo(collector, 'http/json');
    app = await createTestApp();
    const owner = await new Given(app).person();
    const { id } = (await owner.http.post('/api/projects').send({ name: 'a secret name' })).body as { id: number };
    const webhook = { target_url: receiver.url, type: 'project', project_id: id, events: ['update:project'] };
    await owner.http.post('/api/webhooks').send(webhook).expect(201);
    for (const [status, traceId] of [
      [200, TRACE],
      [500, FAILING_TRACE],
    ] as const) {
      receiver.answerWith(status);
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
      await owner.http
        .patch(`/api/projects/${id}`)
        .set({ traceparent })
        .send({ name: `b ${status}` })
        .expect(200);
      await app.drain();
      await app.app.get(DeliveryWorker).runOnce();
    }
    await app.http.get('/api/server/health/').expect(200);
    await givenPhotos(app, owner, 1);
    const log = createLogger('info', { write: (line) => logged.push(line) });
    await traced('step', {}, async () => log.info('within'));
    log.info('outside');
    await stopTracing();
    spans = collector.spans;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
    await collector.close();
  });

  it('lead from a request to its statements, its event and the delivery', () => {
    const request = named('PATCH /api/projects/:id', TRACE);
    expect(request).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2 });
    expect(attribute(request, 'http.response.status_code')).toBe(200);
    for (const name of ['update project', 'insert outbox_event', 'commit', 'relay update:project', 'deliver webhook'])
      expect([name, named(name, TRACE).parentSpanId]).toEqual([name, request.spanId]);
    expect(attribute(named('relay update:project', TRACE), 'cairn.event')).toBe('update:project');
    const delivery = named('deliver webhook', TRACE);
    expect(attribute(delivery, 'http.response.status_code')).toBe(200);
    expect(receiver.arrivals[0]?.headers['traceparent']).toBe(`00-${TRACE}-${delivery.spanId}-01`);
  });

  it('name failures', () => {
    const delivery = named('deliver webhook', FAILING_TRACE);
    expect(delivery.status.code).toBe(2);
    expect(attribute(delivery, 'error.type')).toBe('HTTP 500');
  });

  it('lead from a request to its background work and the images that it reads', () => {
    const work = spans.find(({ name }) => name === 'request create:task');
    const request = spans.find(({ spanId }) => spanId === work?.parentSpanId);
    expect(request?.name).toMatch(/^POST \/api\/tasks\/:id\/data/);
    const media = spans.filter(({ name, traceId }) => name.startsWith('media ') && traceId === work?.traceId);
    expect(media.length).toBeGreaterThan(0);
  });

  it('have no values, and no spans of health checks', () => {
    const text = collector.requests.map(({ bytes }) => bytes.toString()).join('');
    expect(text).not.toMatch(/a secret name|b 200|\/health/);
    const resource = collector.bodies[0]?.resourceSpans[0]?.resource ?? { attributes: [] };
    expect(attribute(resource, 'service.name')).toBe('cairn under test');
    expect(attribute(resource, 'cairn.role')).toBe('all');
  });

  it('have their ids in the log', () => {
    const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    const step = spans.find(({ name }) => name === 'step');
    expect(lines.map((line) => [line['trace_id'], line['span_id']])).toEqual([
      [step?.traceId, step?.spanId],
      [undefined, undefined],
    ]);
  });
});

describe('traces without a protocol', () => {
  it('are sent as protobuf', async () => {
    const collector = new Collector();
    const stopTracing = await tracingTo(collector, '');
    await traced('a step', {}, () => Promise.resolve());
    await stopTracing();
    await collector.close();
    expect(collector.requests.map(({ path, type }) => [path, type])).toEqual([
      ['/v1/traces', 'application/x-protobuf'],
    ]);
    expect(collector.requests[0]?.bytes.toString('latin1')).toMatch(/cairn under test[^]*a step/);
  });
});

describe('traces of object storage', () => {
  const exporter = new InMemorySpanExporter();
  let server: Server;
  let endpoint: string;
  let agents: RemoteAgents;

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    useTracer(provider.getTracer('test'));
    server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    agents = new RemoteAgents(readConfig({ GOOGLE_STORAGE_ENDPOINT: endpoint, REMOTE_ALLOW: '127.0.0.1' }));
  });
  afterAll(() => {
    useTracer(undefined);
    context.disable();
    agents.onApplicationShutdown();
    server.close();
    server.closeAllConnections();
  });

  const google = (): Bucket =>
    new GoogleBucket({ bucket: 'photos', credentials: null }, { endpoint, agents: agents.google, timeoutMs: 1000 });
  const azure = (): Bucket =>
    new AzureContainer({ container: 'photos', endpoint, credentials: { account: 'ann' } }, { agents, timeoutMs: 1000 });

  it.each([
    ['GCS', google],
    ['Azure', azure],
  ])('have a span for each call of %s within a trace, and none without', async (name, open) => {
    exporter.reset();
    await expect(open().check()).rejects.toThrow();
    expect(exporter.getFinishedSpans()).toEqual([]);
    await expect(traced('work', {}, () => open().check())).rejects.toThrow();
    const [call, work] = exporter.getFinishedSpans();
    expect(call).toMatchObject({ name: `${name} list`, kind: 2, status: { code: 2 } });
    expect(call?.parentSpanContext?.spanId).toBe(work?.spanContext().spanId);
    expect(Object.values(call?.attributes ?? {})).toContain('photos');
  });
});
