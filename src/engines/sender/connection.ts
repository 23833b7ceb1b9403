import { isIP, Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { literalAddress } from './address-guard.js';
import type { AddressGuard } from './address-guard.js';
import { connectFailure, dnsFailure, NO_TLS, notAccepted, SendFailure, tlsFailure } from './failure.js';
import type { Resolve } from './resolver.js';

/** The destination of a connection, from the URL of a request. */
export interface Target {
  /** `https://host:port`, without the port if it is the scheme's default. */
  origin: string;
  secure: boolean;
  /** IPv6 addresses are without brackets. */
  hostname: string;
  port: number;
  /** Path of the URL; empty if the connection serves many. */
  path: string;
  verifyTls: boolean;
}

/** @param address an address that the host name resolved to */
export type Refuse = (address: string, target: Target) => string | null;

/** Connection settings, shared by all connections of a sender. */
export interface ConnectionSettings {
  guard: AddressGuard;
  /** Why an address that the guard allows is refused nevertheless; null: it is not. */
  refuse?: Refuse;
  resolve: Resolve;
  /** For DNS lookup, TCP and TLS together, in milliseconds. */
  connectMs: number;
  /** Trusted certificate authorities that replace Node's. */
  ca: string | undefined;
  /** An alternative to a valid certificate, for the error sentence; it follows "install a valid certificate there". */
  tlsAdvice?: string;
  /** Monotonic milliseconds. */
  now: () => number;
}

/**
 * How a connection was established, filled in meanwhile. Times are in milliseconds, null for a step that did not
 * happen.
 */
export interface ConnectionTrace {
  addresses: string[];
  dns: number | null;
  connect: number | null;
  tls: number | null;
  /** Number of requests started on this connection. */
  requests: number;
}

export const newTrace = (): ConnectionTrace => ({ addresses: [], dns: null, connect: null, tls: null, requests: 0 });

type Step = 'dns' | 'connect' | 'tls';

/**
 * One connection to a receiver that the address guard allows. Addresses are resolved and checked here, and the
 * connection goes only to those addresses, so a name server that changes its response gains nothing.
 */
export class GuardedConnection {
  private readonly hostAndPort: string;
  private readonly timer: NodeJS.Timeout;
  private socket: Socket | null = null;
  private step: Step = 'dns';
  private stepBegan: number;
  private finished = false;

  /** Starts immediately. `done` is called exactly once, even after {@link abort}. */
  constructor(
    private readonly target: Target,
    private readonly settings: ConnectionSettings,
    private readonly trace: ConnectionTrace,
    private readonly done: (failure: SendFailure | null, socket: Socket | null) => void,
  ) {
    this.hostAndPort = hostAndPort(target);
    this.stepBegan = settings.now();
    this.timer = setTimeout(() => this.fail(this.timeout()), settings.connectMs);
    const literal = literalAddress(isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname);
    if (literal === null) void this.lookUp();
    else this.connectTo([literal], literal);
  }

  abort(failure: SendFailure): void {
    this.fail(failure);
  }

  private async lookUp(): Promise<void> {
    const { hostname } = this.target;
    try {
      const addresses = await this.settings.resolve(hostname);
      this.trace.dns = this.endStep('connect');
      if (addresses.length === 0) throw new Error('no addresses');
      this.connectTo(addresses, hostname);
    } catch (error) {
      this.fail(dnsFailure(error, hostname));
    }
  }

  private connectTo(addresses: string[], hostname: string): void {
    if (this.finished) return;
    const refusals = addresses.map((address) => this.refusal(address, hostname));
    const allowed = addresses.filter((_address, i) => refusals[i] === null);
    const first = allowed[0];
    if (first === undefined) {
      this.fail(new SendFailure('blocked', refusals[0] ?? 'refused'));
      return;
    }
    this.step = 'connect';
    const socket = new Socket();
    this.socket = socket;
    socket.on('error', (error) => this.fail(connectFailure(error, this.hostAndPort)));
    socket.on('connectionAttempt', (address: string) => this.trace.addresses.push(address));
    socket.once('connect', () => this.onConnected(socket));
    socket.connect({
      host: allowed.length === 1 ? first : hostname,
      port: this.target.port,
      lookup: lookupOf(allowed),
      noDelay: true,
      autoSelectFamily: true,
      // Node's default of 250 ms is too short for distant receivers with two addresses.
      autoSelectFamilyAttemptTimeout: Math.max(
        10,
        Math.min(1000, Math.floor(this.settings.connectMs / allowed.length)),
      ),
    });
  }

  private refusal(address: string, hostname: string): string | null {
    const { guard, refuse } = this.settings;
    return guard.refusal(address, hostname) ?? refuse?.(address, this.target) ?? null;
  }

  private onConnected(socket: Socket): void {
    const refusal = this.refusal(socket.remoteAddress ?? '', this.target.hostname);
    if (refusal !== null) {
      this.fail(new SendFailure('blocked', refusal));
      return;
    }
    this.trace.connect = this.endStep('tls');
    if (this.target.secure) this.secure(socket);
    else this.succeed(socket);
  }

  private secure(socket: Socket): void {
    const { hostname, verifyTls } = this.target;
    const secured: TLSSocket = connectTls({
      socket,
      host: hostname,
      servername: isIP(hostname) === 0 ? hostname : '',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: verifyTls,
      ...(this.settings.ca === undefined ? {} : { ca: this.settings.ca }),
    });
    this.socket = secured;
    secured.on('error', (error) => this.fail(tlsFailure(error, this.hostAndPort, this.settings.tlsAdvice)));
    secured.once('secureConnect', () => {
      this.trace.tls = this.endStep('tls');
      this.succeed(secured);
    });
  }

  private succeed(socket: Socket): void {
    if (!this.finish()) return;
    // Our listeners stay: an error then ends this connection, and undici reports it to the request.
    this.done(null, socket);
  }

  private fail(failure: SendFailure): void {
    if (!this.finish()) return;
    this.socket?.on('error', () => undefined).destroy();
    this.done(failure, null);
  }

  private finish(): boolean {
    const first = !this.finished;
    this.finished = true;
    clearTimeout(this.timer);
    return first;
  }

  private endStep(next: Step): number {
    const began = this.stepBegan;
    this.stepBegan = this.settings.now();
    this.step = next;
    return this.stepBegan - began;
  }

  private timeout(): SendFailure {
    const within = `within ${this.settings.connectMs} ms`;
    if (this.step === 'dns') {
      return new SendFailure('connect-timeout', `${this.target.hostname} was not resolved ${within}`);
    }
    if (this.step === 'connect') {
      return notAccepted(this.hostAndPort, within);
    }
    return new SendFailure(
      'tls-timeout',
      `${this.hostAndPort} did not complete the TLS handshake ${within}; ${NO_TLS}`,
    );
  }
}

/** Host and port as people write them. */
export function hostAndPort(target: Target): string {
  return `${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}:${target.port}`;
}

/** A `lookup` that returns the checked addresses, whatever the name servers would respond now. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family ?? 4);
  };
}
