import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
import { GoogleBucket } from '../../../src/engines/object-storage/google-bucket.js';
import { RemoteAgents } from '../../../src/core/remote/remote-agents.js';

describe('connections to Google Cloud Storage', () => {
  let server: Server;
  let endpoint: string;
  let folder: string;
  let asked = 0;
  const opened: RemoteAgents[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-google-'));
    server = createServer((_, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    for (const agents of opened.splice(0)) agents.onApplicationShutdown();
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  function agentsWith(env: Record<string, string>): RemoteAgents {
    const agents = new RemoteAgents(readConfig(env));
    opened.push(agents);
    return agents;
  }

  async function statusOver(agent: Agent): Promise<number | string | undefined> {
    const request = get(endpoint, { agent });
    try {
      const [response] = (await once(request, 'response')) as [{ statusCode?: number; resume(): void }];
      response.resume();
      return response.statusCode;
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('reach a private server that the operator has chosen, which others do not', async () => {
    const agents = agentsWith({ GOOGLE_STORAGE_ENDPOINT: endpoint });
    expect(await statusOver(agents.google.http)).toBe(200);
    expect(await statusOver(agents.http)).toMatch(/^refused: 127\.0\.0\.1/);
    expect(await statusOver(agentsWith({}).google.http)).toMatch(/^refused: 127\.0\.0\.1/);
  });

  it('of all requests pass the address guard', async () => {
    const file = join(folder, 'file');
    await writeFile(file, Buffer.alloc(600 * 1024));
    const bucket = new GoogleBucket(
      { bucket: 'photos', credentials: null },
      { endpoint, agents: agentsWith({}).google, timeoutMs: 60_000 },
    );
    asked = 0;
    await expect(bucket.check()).rejects.toThrow(/refused: 127\.0\.0\.1 is /);
    // Resumable uploads have an HTTP client of their own.
    const signal = AbortSignal.timeout(500); // before it tries again
    await expect(bucket.upload('a', file, { partBytes: 256 * 1024, signal })).rejects.toThrow();
    expect(asked).toBe(0);
  });
});
