import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from './config/config.js';
import { Metrics } from './core/metrics/metrics.js';
import { HealthService, isHealthy } from './modules/server/index.js';
import { StartError } from './start-error.js';

export interface MonitoringServer {
  readonly port: number;
  /** From now on, the process is not ready: load balancers send no more requests. */
  drain(): void;
  stop(): Promise<void>;
}

/**
 * Serves `/live`, `/ready` and `/metrics` on a port of their own, also in workers, which have no other port. The port
 * needs no authentication, so it must not be public. It bypasses the application: a slow request does not delay it, but
 * a blocked event loop does.
 * @returns null if no port is configured
 */
export async function startMonitoring(app: NestExpressApplication, config: Config): Promise<MonitoringServer | null> {
  if (config.monitoringPort === null) return null;
  let isDraining = false;
  const health = app.get(HealthService);
  const metrics = app.get(Metrics);
  const routes: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    /** Does not check the database: restarting this process would not repair it. */
    '/live': async (response) => sendJson(response, 200, { status: 'live' }),
    '/ready': async (response) => {
      if (isDraining) return sendJson(response, 503, { status: 'stopping' });
      const found = await health.check();
      sendJson(response, isHealthy(found) ? 200 : 503, found);
    },
    '/metrics': async (response) => {
      const text = await metrics.text();
      response.setHeader('Content-Type', metrics.contentType).end(text);
    },
  };
  const server = createServer((request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    const [path = ''] = (request.url ?? '').split('?'); // not with URL, which throws for a path such as //
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined) return sendJson(response, 404, { detail: 'Not found. Use /live, /ready or /metrics.' });
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendJson(response, 405, { detail: 'Only GET and HEAD are supported.' });
    route(response).catch(() => sendJson(response, 500, { detail: 'Internal server error.' }));
  });
  return {
    port: await listening(server, config.monitoringPort, config.host),
    drain: () => (isDraining = true),
    stop: () => closed(server),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

async function listening(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: Error) => {
    const advice = 'Set MONITORING_PORT to another port, or HOST to an address of this machine.';
    throw new StartError(`MONITORING_PORT ${port} on ${host} cannot be used: ${error.message}. ${advice}`);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function closed(server: Server): Promise<void> {
  const done = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await done;
}
