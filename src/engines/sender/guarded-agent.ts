import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.js';
import { bareHost } from './address-guard.js';
import { type ConnectionSettings, GuardedConnection, newTrace } from './connection.js';
import { stopped } from './failure.js';
import { createResolver, type Resolve } from './resolver.js';

export interface GuardedAgentOptions {
  readonly guard: AddressGuard;
  /** Whether its connections use TLS. An agent serves either http or https. */
  readonly secure: boolean;
  /** For DNS lookup, TCP and TLS together, in milliseconds. */
  readonly connectMs: number;
  /** Default: the system's name servers. */
  readonly resolve?: Resolve;
  /** Trusted certificate authorities (PEM). Default: Node's. */
  readonly ca?: string;
  /** Maximum connections to one host. */
  readonly maxSockets?: number;
}

type Done = (error: Error | null, socket: Duplex) => void;

/**
 * An agent for http and https requests of `node:http` that connects only to addresses that the guard allows. Other
 * requests fail with a `SendFailure`.
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
