import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { type MonitoringServer, startMonitoring } from '../../../src/monitoring-server.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('the monitoring port', () => {
  let database: TestDatabase;
  let app: TestApp;
  let server: MonitoringServer | null;
  const http = () => supertest(`http://127.0.0.1:${server?.port}`);
  const start = async (monitoringPort: number | null): Promise<void> => {
    server = await startMonitoring(app.app, { ...app.config, monitoringPort });
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await createTestApp({ database, env: { METRICS_ACCESS: 'admin' } });
  });
  afterEach(() => server?.stop());
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('serves probes and metrics without a log-in', async () => {
    await start(0);
    expect((await http().get('/live').expect(200)).body).toEqual({ status: 'live' });
    expect((await http().get('/ready').expect(200)).body).toEqual({
      Database: 'working',
      Storage: 'working',
      Events: 'working',
      Deliveries: 'working',
    });
    expect((await http().get('/metrics').expect(200)).text).toContain('cairn_queue_waiting{queue="events"} 0');
    await http().get('/api/server/about').expect(404);
    await http().get('//').expect(404); // no URL, which must not end the process
    await http().get('/constructor').expect(404);
    await http().post('/metrics').expect(405);
  });

  it('reports that a stopping process is not ready, but live', async () => {
    await start(0);
    server?.drain();
    expect((await http().get('/ready').expect(503)).body).toEqual({ status: 'stopping' });
    await http().get('/live').expect(200);
  });

  it('is open only if it is configured, and names the setting if its port is in use', async () => {
    await start(null);
    expect(server).toBeNull();
    await start(0);
    const used = { ...app.config, monitoringPort: server?.port ?? 0 };
    await expect(startMonitoring(app.app, used)).rejects.toThrow(/^MONITORING_PORT \d+ on 127\.0\.0\.1 cannot be used/);
  });
});
