import ipaddr from 'ipaddr.js';
import { bareHost, literalAddress } from '../../../engines/sender/address-guard.js';
import { contains, unwrap } from '../../../engines/sender/address-ranges.js';
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

/**
 * Whether the text is a URL that can receive requests. The pattern alone accepts ports and numbers that are too large.
 */
export const isTargetUrl = (text: string): boolean => TARGET_URL.test(text) && URL.canParse(text);

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

/** Decides where webhooks may be sent, first by the URL and then by the address that its host resolves to. */
@Injectable()
export class WebhookTargets {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws Invalid for a URL that is not a valid target, and for the server's own */
  require(url: string, actor: Actor): void {
    if (!isTargetUrl(url)) throw new Invalid({ target_url: [targetUrlProblem(url)] });
    if (!this.isOwn(url, actor)) return;
    if (this.isInspection(new URL(url).pathname)) return;
    throw new Invalid({ target_url: ['This URL belongs to this server. Enter the URL of another server.'] });
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

function localInterfaces(): Computer {
  const addresses = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
  return { name: hostname(), addresses };
}
