import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { type Program, startProgram } from './programs.js';

/** What the proxy in front of the server does with requests. */
export type Fault = 'none' | 'fails' | 'stalls' | 'denies' | 'full' | 'cuts';

/** A server with the Amazon S3 protocol, behind a proxy that can make it fail. */
export interface S3Server {
  /** The settings of a Cairn server that stores its files in a new bucket. */
  settings(bucket: string): Promise<Record<string, string>>;
  /** What happens to requests from now on. @param only requests whose method and path match */
  fault(fault: Fault, only?: RegExp): void;
  /** Requests since the start, such as `GET /bucket/key`. */
  readonly asked: string[];
  keys(bucket: string, prefix?: string): Promise<string[]>;
  stop(): Promise<void>;
}

const credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };

/** Starts moto, a server written in Python, or MinIO, which takes longer to install, with `CAIRN_TEST_S3=minio`. */
export async function startS3(): Promise<S3Server> {
  const program = process.env['CAIRN_TEST_S3'] === 'minio' ? await startMinio() : await startMoto();
  return behindProxy(`http://127.0.0.1:${program.port}`, program);
}

const startMoto = (): Promise<Program> =>
  startProgram('moto_server', (port) => ['-H', '127.0.0.1', '-p', String(port)]);

async function startMinio(): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-minio-'));
  const program = await startProgram('minio', (port) => ['server', '--address', `127.0.0.1:${port}`, folder], {
    env: { MINIO_ROOT_USER: credentials.accessKeyId, MINIO_ROOT_PASSWORD: credentials.secretAccessKey },
  });
  const stop = async (): Promise<void> => {
    await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...program, stop };
}

/** Puts the proxy in front of a running server. */
export async function behindProxy(
  target: string,
  program: Pick<Program, 'stop'>,
  keys = credentials,
): Promise<S3Server> {
  const client = new S3Client({ endpoint: target, region: 'us-east-1', credentials: keys, forcePathStyle: true });
  const proxy = await startProxy(new URL(target));
  return {
    asked: proxy.asked,
    fault: proxy.fault,
    async settings(bucket) {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return {
        MEDIA_URL: `s3://${bucket}/files`,
        MEDIA_S3_ENDPOINT: proxy.url,
        MEDIA_S3_ACCESS_KEY_ID: keys.accessKeyId,
        MEDIA_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
        MEDIA_TIMEOUT_MS: '2000',
      };
    },
    async keys(bucket, prefix = '') {
      const { Contents: found = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: `files/${prefix}` }),
      );
      return found.map(({ Key: key = '' }) => key.slice('files/'.length));
    },
    async stop() {
      client.destroy();
      await proxy.close();
      await program.stop();
    },
  };
}

async function startProxy(target: URL) {
  const asked: string[] = [];
  let [fault, only]: [Fault, RegExp] = ['none', /^/];
  const server: Server = createServer((request, response) => {
    const line = `${request.method} ${decodeURIComponent(new URL(request.url ?? '', target).pathname)}`;
    asked.push(line);
    const applied = only.test(line) ? fault : 'none';
    if (applied === 'none' || applied === 'cuts') return forward(target, request, response, applied === 'cuts');
    request.resume();
    if (applied === 'stalls') return; // never responds
    const [status, code] = { fails: [500, 'InternalError'], denies: [403, 'AccessDenied'], full: [507, 'StorageFull'] }[
      applied
    ] as [number, string];
    request.once('end', () => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${code}</Code><Message>as the test wants</Message></Error>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fault: (wanted: Fault, which: RegExp = /^/) => void ([fault, only] = [wanted, which]),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param cuts ends the connection in the middle of the response */
function forward(target: URL, request: IncomingMessage, response: ServerResponse, cuts: boolean): void {
  // The signature covers the host of the proxy, which the server must see.
  const options = { host: target.hostname, port: target.port, method: request.method, path: request.url };
  const passed = httpRequest({ ...options, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!cuts) return void answer.pipe(response);
    answer.once('data', (part: Buffer) => {
      response.write(part.subarray(0, part.length >> 1));
      setImmediate(() => response.destroy());
    });
  });
  passed.once('error', () => response.destroy());
  request.pipe(passed);
}
