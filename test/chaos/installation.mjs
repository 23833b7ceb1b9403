// Several servers and workers on one database, behind HAProxy. Each can be killed and is then started again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../tools/free-port.mjs';
import { KillableProcess, isHealthy } from './server.mjs';

/** Debian's is in a folder that users' PATH may lack. */
export const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/local/bin/haproxy'].find((path) =>
  existsSync(path),
);

/**
 * HAProxy checks the servers twice a second. A request goes to another server only if it was not sent yet: only the
 * client knows whether it may be repeated.
 */
const configuration = (port, ports) => `
global
  maxconn 500
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  option redispatch 1
  retries 3
  retry-on conn-failure
frontend cairn
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  balance roundrobin
  option httpchk GET /api/server/health/
  default-server check inter 500ms fall 1 rise 1 observe layer4 error-limit 1 on-error mark-down
${ports.map((of, index) => `  server s${index} 127.0.0.1:${of}`).join('\n')}
`;

export class BalancedInstallation {
  /**
   * @param {string} cli path of the built command line
   * @param {string} folder of data and logs
   * @param {{servers: number, workers: number, bucket: object | null}} how `bucket`: settings of the bucket that stores all
   *   files; each process then has a data folder of its own
   */
  static async on(cli, folder, { servers, workers, bucket }) {
    const installation = new BalancedInstallation();
    installation.folder = folder;
    const { startEmbedded } = await import(
      pathToFileURL(join(dirname(cli), 'core', 'database', 'embedded', 'start-embedded.js')).href
    );
    const log = { info: () => undefined, warn: () => undefined, error: console.error };
    installation.database = await startEmbedded({ dataDir: join(folder, 'data'), log });
    const shared = { DATABASE_URL: installation.database.url };
    const envOf = (name) =>
      bucket === null
        ? shared
        : { ...shared, ...bucket, SECRET_KEY: 'the-same-in-all-processes', DATA_DIR: join(folder, `data-of-${name}`) };
    const process = (name, args, port) => new KillableProcess(cli, folder, { name, args, port, env: envOf(name) });
    installation.members = [
      ...(await Promise.all(Array.from({ length: servers }, () => freePort()))).map((port, index) =>
        process(`server-${index}`, ['serve', '--no-worker'], port),
      ),
      ...Array.from({ length: workers }, (_, index) => process(`worker-${index}`, ['worker'], null)),
    ];
    await installation.members[0].start(); // creates the schema
    await installation.start();
    await installation.balance();
    return installation;
  }

  get servers() {
    return this.members.filter(({ port }) => port !== null);
  }

  /** Runs a command on the same installation. */
  command(args) {
    this.members[0].command(args);
  }

  async balance() {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const file = join(this.folder, 'haproxy.cfg');
    writeFileSync(
      file,
      configuration(
        port,
        this.servers.map((server) => server.port),
      ),
    );
    const log = openSync(join(this.folder, 'haproxy'), 'a');
    this.balancer = spawn(HAPROXY, ['-f', file, '-db'], { stdio: ['ignore', log, log] });
    closeSync(log);
    while (!(await isHealthy(this.url))) {
      if (this.balancer.exitCode !== null) throw new Error('HAProxy has ended.');
      await pause(50);
    }
  }

  /** Starts what does not run. Resolves when all servers are healthy. */
  async start() {
    await Promise.all(this.members.filter(({ isRunning }) => !isRunning).map((member) => member.start()));
  }

  /** Kills one process. @param {() => number} random from 0 to 1 */
  killOne(random) {
    return this.members[Math.floor(random() * this.members.length)].kill();
  }

  /** Kills every process, as after a power cut of all machines but that of the database. */
  async kill() {
    await Promise.all(this.members.map((member) => member.kill()));
  }

  /** Kills the first process of the database, which is restarted. */
  async killDatabase() {
    const file = join(this.folder, 'data', 'postgres', 'cluster', 'postmaster.pid');
    const pid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0);
    const killed = pid();
    process.kill(killed, 'SIGKILL');
    while ([killed, 0].includes(pid()) || !(await isHealthy(this.url))) await pause(20);
  }

  async stop() {
    await Promise.all((this.members ?? []).map((member) => member.stop()));
    if (this.balancer?.exitCode === null) {
      this.balancer.kill('SIGKILL');
      await once(this.balancer, 'exit');
    }
    await this.database?.stop();
  }
}
