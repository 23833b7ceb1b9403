import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.js';
import { bareHost } from './address-guard.js';
import { type ConnectionSettings, GuardedConnection, newTrace } from './connection.js';
import { stopped } from './failure.js';
import { createResolver, type Resolve } from './resolver.js';

export interface GuardedAgentOptions {
  readonly guard: AddressGuard;
  /** Whether its connections are TLS: an agent serves one of the two. */
  readonly secure: boolean;
  /** For look-up, TCP and TLS together, in milliseconds. */
  readonly connectMs: number;
  /** Default: the name servers of the system. */
  readonly resolve?: Resolve;
  /** Certificates (PEM) of the authorities to trust. Default: Node's. */
  readonly ca?: string;
  /** At a time, to one host. */
  readonly maxSockets?: number;
}

type Done = (error: Error | null, socket: Duplex) => void;

/**
 * An agent for `node:http`, also for https, whose every connection the address guard has allowed. A request that it does
 * not let through fails with a `SendFailure`.
 */
export class GuardedAgent extends Agent {
  /** Read by `node:http`, as is `defaultPort`. */
  readonly protocol: string;
  readonly defaultPort: number;
  private readonly secure: boolean;
  private readonly settings: ConnectionSettings;

  constructor({ guard, secure, connectMs, resolve = createResolver(), ca, maxSockets = 16 }: GuardedAgentOptions) {
    const options: AgentOptions = { keepAlive: true, maxSockets };
    super(options);
    this.secure = secure;
    this.protocol = secure ? 'https:' : 'http:';
    this.defaultPort = secure ? 443 : 80;
    this.settings = { guard, resolve, connectMs, ca, now: () => performance.now() };
  }

  override createConnection(options: ClientRequestArgs, done?: Done): undefined {
    const hostname = bareHost(options.host ?? options.hostname ?? '');
    const port = Number(options.port ?? this.defaultPort);
    const origin = `${this.protocol}//${hostname}:${port}`;
    const target = { origin, secure: this.secure, hostname, port, path: '', verifyTls: true };
    void new GuardedConnection(target, this.settings, newTrace(), (failure, socket) => {
      if (socket === null) (done as unknown as (error: Error) => void)(failure ?? stopped());
      else done?.(null, socket);
    });
  }
}
