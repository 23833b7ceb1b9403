import { isIP, Socket } from 'node:net';
import type { LookupFunction } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { literalAddress } from './address-guard.js';
import type { AddressGuard } from './address-guard.js';
import { connectFailure, dnsFailure, NO_TLS, notAccepted, SendFailure, tlsFailure } from './failure.js';
import type { Resolve } from './resolver.js';

/** Where to connect to, from the URL of a request. */
export interface Target {
  /** `https://host:port`, the port only when it is not the scheme's own. */
  origin: string;
  secure: boolean;
  /** Without the brackets of IPv6. */
  hostname: string;
  port: number;
  /** Of the URL; empty when the connection serves many. */
  path: string;
  verifyTls: boolean;
}

/** @param address that the host's name was resolved to */
export type Refuse = (address: string, target: Target) => string | null;

/** What connecting needs; the same for all connections of a sender. */
export interface ConnectionSettings {
  guard: AddressGuard;
  /** Why an address that the guard allows is not connected to all the same; null: it is. */
  refuse?: Refuse;
  resolve: Resolve;
  /** For look-up, TCP and TLS together, in milliseconds. */
  connectMs: number;
  /** Certificates of authorities to trust instead of the ones Node brings. */
  ca: string | undefined;
  /** What else can be done about a bad certificate, for the sentence; it follows "install a valid certificate there". */
  tlsAdvice?: string;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** How a connection came about; filled while it does. Times are in milliseconds, null when the step was not taken. */
export interface ConnectionTrace {
  addresses: string[];
  dns: number | null;
  connect: number | null;
  tls: number | null;
  /** Requests begun on this connection. */
  requests: number;
}

export const newTrace = (): ConnectionTrace => ({ addresses: [], dns: null, connect: null, tls: null, requests: 0 });

type Step = 'dns' | 'connect' | 'tls';

/**
 * One connection to a receiver, allowed by the address guard: the addresses are looked up and judged here, and only
 * these very addresses are connected to, so a name server that changes its answer gains nothing.
 */
export class GuardedConnection {
  private readonly place: string;
  private readonly timer: NodeJS.Timeout;
  private socket: Socket | null = null;
  private step: Step = 'dns';
  private stepBegan: number;
  private finished = false;

  /** Begins at once; `done` is called exactly once, also after {@link abort}. */
  constructor(
    private readonly target: Target,
    private readonly settings: ConnectionSettings,
    private readonly trace: ConnectionTrace,
    private readonly done: (failure: SendFailure | null, socket: Socket | null) => void,
  ) {
    this.place = placeOf(target);
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
    socket.on('error', (error) => this.fail(connectFailure(error, this.place)));
    socket.on('connectionAttempt', (address: string) => this.trace.addresses.push(address));
    socket.once('connect', () => this.onConnected(socket));
    socket.connect({
      host: allowed.length === 1 ? first : hostname,
      port: this.target.port,
      lookup: answer(allowed),
      noDelay: true,
      autoSelectFamily: true,
      // Node's own 250 ms give up on distant receivers that have two addresses.
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
    secured.on('error', (error) => this.fail(tlsFailure(error, this.place, this.settings.tlsAdvice)));
    secured.once('secureConnect', () => {
      this.trace.tls = this.endStep('tls');
      this.succeed(secured);
    });
  }

  private succeed(socket: Socket): void {
    if (!this.finish()) return;
    // Our listeners stay: an error is then this connection's end, which undici reports to the request.
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
      return new SendFailure('connect-timeout', `no name server gave an address of ${this.target.hostname} ${within}`);
    }
    if (this.step === 'connect') {
      return notAccepted(this.place, within);
    }
    return new SendFailure('tls-timeout', `${this.place} did not complete the TLS handshake ${within}; ${NO_TLS}`);
  }
}

/** Host and port as people write them. */
export function placeOf(target: Target): string {
  return `${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}:${target.port}`;
}

/** A `lookup` that gives the addresses that were judged, whatever the name servers would say now. */
function answer(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family ?? 4);
  };
}
