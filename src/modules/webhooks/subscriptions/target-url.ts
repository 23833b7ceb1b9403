import ipaddr from 'ipaddr.js';
import { setTimeout as delay } from 'node:timers/promises';
import { AddressGuard, bareHost, literalAddress } from '../../../engines/sender/address-guard.js';
import { contains, unwrap } from '../../../engines/sender/address-ranges.js';
import { createResolver } from '../../../engines/sender/resolver.js';
import { hostname, networkInterfaces } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';

const LABEL = '[a-z\\u00a1-\\uffff0-9](?:[a-z\\u00a1-\\uffff0-9-]{0,61}[a-z\\u00a1-\\uffff0-9])?';
const NAME = `(?:${LABEL}\\.)+(?:[a-z\\u00a1-\\uffff]{2,63}|xn--[a-z0-9-]{1,59})\\.?`;
const HOST = `(?:localhost|${NAME}|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\])`;

/**
 * A valid target: http or https without user name and password. The host is a name that contains a dot, `localhost` or
 * an IP address.
 */
export const TARGET_URL = new RegExp(`^https?://${HOST}(?::\\d{1,5})?(?:[/?#]\\S*)?$`, 'i');

/** Names of containers and of hosts in a private network, which administrators can allow. */
const PRIVATE_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const PRIVATE_NAME = `(?:${PRIVATE_LABEL}\\.)*(?=[a-z0-9_-]*[a-z_])${PRIVATE_LABEL}\\.?`;

/** {@link TARGET_URL}, and URLs whose host must be in WEBHOOK_ALLOW. */
export const POSSIBLE_URL = new RegExp(`^https?://(?:${HOST}|${PRIVATE_NAME})(?::\\d{1,5})?(?:[/?#]\\S*)?$`, 'i');

/**
 * Whether the text is a URL that can receive requests. The pattern alone accepts ports and numbers that are too large.
 */
export const isTargetUrl = (text: string): boolean => TARGET_URL.test(text) && URL.canParse(text);

/** The error message for a name that CVAT does not accept, and that is not allowed. */
function unlistedProblem(hostname: string): string {
  const name = bareHost(hostname);
  const fault = name.includes('_') ? 'has an underscore' : name.includes('.') ? 'is no public name' : 'has no dot';
  return `Enter a valid URL. The host name ${name} ${fault}. If it is a server in your own network, an administrator can allow it with WEBHOOK_ALLOW=${name}.`;
}

/** The error message for an invalid target. It starts with CVAT's message. */
export function targetUrlProblem(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '') return 'Enter a valid URL.';
  if (!['http:', 'https:'].includes(url.protocol)) return 'Enter a valid URL that starts with http:// or https://.';
  if (url.username !== '' || url.password !== '')
    return 'Enter a valid URL without user name and password. To authenticate, set an "Authorization" header in custom_headers.';
  return 'Enter a valid URL.';
}

/**
 * Whether two URLs name the same server (host and port). A server that responds to http and https at their default
 * ports is one server.
 */
export function isSameServer(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  return hostAndPort(new URL(one)) === hostAndPort(new URL(other));
}

const hostAndPort = ({ hostname, port }: URL): string =>
  `${bareHost(hostname)}:${port === '80' || port === '443' ? '' : port}`;

const OWN_ADDRESS = ['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128'].map((range) => ipaddr.parseCIDR(range));

/** The names and addresses of this computer. */
export interface Computer {
  /** Its host name. */
  readonly name: string;
  /** Addresses of its network interfaces. */
  readonly addresses: readonly string[];
}

/**
 * Whether the URL names this computer without a DNS lookup: `localhost`, a loopback or unspecified address, the host
 * name, or an address of a network interface.
 */
export function isOwnAddress(url: string, { name, addresses }: Computer): boolean {
  const host = bareHost(new URL(url).hostname);
  if (host === 'localhost' || host.endsWith('.localhost') || host === bareHost(name)) return true;
  const literal = literalAddress(host);
  if (literal === null) return false;
  const address = unwrap(ipaddr.parse(literal));
  const isOwn = (own: string): boolean => ipaddr.parse(own).toString() === address.toString();
  return OWN_ADDRESS.some((range) => contains(range, address)) || addresses.some(isOwn);
}

/** The explicit or default port of an http or https URL. */
export const portOf = (url: string): number => {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
};

/** The only URLs of this server that webhooks may target: they store what they receive and do nothing else. */
const INSPECT = /^\/inspect\/[A-Za-z0-9]+$/;

/** The destination of a request. */
interface Endpoint {
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
}

/** A name that is not resolved within this time, in milliseconds, is checked when something is sent to it. */
const LOOKUP_MS = 500;

/** Decides where webhooks may be sent, first by the URL and then by the address that its host resolves to. */
@Injectable()
export class WebhookTargets {
  private readonly guard: AddressGuard;
  private readonly resolve = createResolver();

  constructor(@Inject(CONFIG) private readonly config: Config) {
    const { allow, allowPrivate } = config.webhooks;
    this.guard = new AddressGuard({ allow, allowPrivate });
  }

  /**
   * @throws Invalid for a URL that is not a valid target, for an address that this server does not send to, and for its
   *   own
   */
  require(url: string, actor: Actor): void {
    if (!URL.canParse(url) || !POSSIBLE_URL.test(url)) throw new Invalid({ target_url: [targetUrlProblem(url)] });
    const { hostname } = new URL(url);
    if (!isTargetUrl(url) && !this.guard.allowsHost(hostname))
      throw new Invalid({ target_url: [unlistedProblem(hostname)] });
    if (this.isOwn(url, actor) && !this.isInspection(new URL(url).pathname))
      throw new Invalid({ target_url: ['This URL belongs to this server. Enter the URL of another server.'] });
    const refusal = this.guard.refusalOfHost(hostname);
    if (refusal != null) throw refusedTarget(refusal);
  }

  /**
   * Whether {@link requireAllowedName} could refuse the URL: its host is a name. With WEBHOOK_ALLOW_PRIVATE, hardly any
   * address is refused, so none is looked up.
   */
  needsLookup(url: unknown): url is string {
    if (typeof url !== 'string' || !isTargetUrl(url) || this.config.webhooks.allowPrivate) return false;
    return this.guard.refusalOfHost(new URL(url).hostname) === undefined;
  }

  /** @throws Invalid if the host resolves only to addresses that this server does not send to */
  async requireAllowedName(url: string): Promise<void> {
    const hostname = bareHost(new URL(url).hostname);
    const lookup = this.resolve(hostname).catch(() => []);
    const addresses = await Promise.race([lookup, delay(LOOKUP_MS, [], { ref: false })]);
    const refusals = addresses.map((address) => this.guard.refusal(address, hostname));
    const [first] = refusals;
    if (first != null && !refusals.includes(null)) throw refusedTarget(first);
  }

  /**
   * Why a resolved address is refused: this server listens there. Other servers may use the port of a proxy in front of
   * this one, so only this computer's own addresses count.
   */
  refusal(address: string, { hostname, port, path }: Endpoint): string | null {
    if (port !== this.config.port || this.isInspection(path)) return null;
    const literal = address.includes(':') ? `[${address}]` : address;
    if (!isOwnAddress(`http://${literal}/`, localInterfaces())) return null;
    return `refused: ${hostname} resolves to this server itself (port ${port}); webhooks can only target other servers`;
  }

  private isInspection(path: string): boolean {
    return this.config.inspectEnabled && INSPECT.test(path);
  }

  /**
   * Compares with the request's URL, the configured URL, and this computer's addresses at the port that the server
   * listens on.
   */
  private isOwn(url: string, actor: Actor): boolean {
    if ([actor.baseUrl, this.config.publicUrl].some((own) => isSameServer(url, own))) return true;
    if (portOf(url) !== this.config.port) return false;
    return isOwnAddress(url, localInterfaces());
  }
}

/** @param refusal the sentence of the guard */
const refusedTarget = (refusal: string): Invalid =>
  new Invalid({
    target_url: [
      `The policy of this server refuses this receiver: ${refusal.replace(/^refused: /, '').replace('; allow it', '. An administrator can allow it')}.`,
    ],
  });

function localInterfaces(): Computer {
  const addresses = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
  return { name: hostname(), addresses };
}
