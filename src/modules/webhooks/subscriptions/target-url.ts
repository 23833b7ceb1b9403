import ipaddr from 'ipaddr.js';
import { bareHost, literalAddress } from '../../../engines/sender/address-guard.js';
import { contains, unwrap } from '../../../engines/sender/address-ranges.js';
import { hostname, networkInterfaces } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Invalid } from '../../../core/http/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';

const LABEL = '[a-z\\u00a1-\\uffff0-9](?:[a-z\\u00a1-\\uffff0-9-]{0,61}[a-z\\u00a1-\\uffff0-9])?';
const NAME = `(?:${LABEL}\\.)+(?:[a-z\\u00a1-\\uffff]{2,63}|xn--[a-z0-9-]{1,59})\\.?`;
const HOST = `(?:localhost|${NAME}|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\])`;

/**
 * Where deliveries can go: http or https without user name and password; the host is a name with a dot in it,
 * `localhost` or an address.
 */
export const TARGET_URL = new RegExp(`^https?://${HOST}(?::\\d{1,5})?(?:[/?#]\\S*)?$`, 'i');

/** Is the text an address that a request can be sent to? The pattern alone lets ports and numbers be too large. */
export const isTargetUrl = (text: string): boolean => TARGET_URL.test(text) && URL.canParse(text);

/** What is wrong with a text that is no target, in the contract's words where it has any. */
export function targetUrlProblem(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '') return 'Enter a valid URL.';
  if (!['http:', 'https:'].includes(url.protocol)) return 'Enter a valid URL. Deliveries go to http and https.';
  if (url.username !== '' || url.password !== '')
    return 'Enter a valid URL without user name and password; custom_headers may have an "Authorization".';
  return 'Enter a valid URL.';
}

/**
 * Do two addresses name the same server (host and port)? One that answers by both http and https at their own ports is
 * one server.
 */
export function isSameServer(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  return placeOf(new URL(one)) === placeOf(new URL(other));
}

const placeOf = ({ hostname, port }: URL): string =>
  `${bareHost(hostname)}:${port === '80' || port === '443' ? '' : port}`;

const THIS_COMPUTER = ['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128'].map((range) => ipaddr.parseCIDR(range));

/** What this computer goes by. */
export interface Computer {
  /** Its name as it knows it itself. */
  readonly name: string;
  /** Of its network cards. */
  readonly addresses: readonly string[];
}

/**
 * Does the address name this computer, by itself and not by a name that has to be looked up: `localhost`, loopback, the
 * unspecified address, its own name, an address of a network card?
 */
export function isThisComputer(url: string, { name, addresses }: Computer): boolean {
  const host = bareHost(new URL(url).hostname);
  if (host === 'localhost' || host.endsWith('.localhost') || host === bareHost(name)) return true;
  const literal = literalAddress(host);
  if (literal === null) return false;
  const address = unwrap(ipaddr.parse(literal));
  const isOwn = (own: string): boolean => ipaddr.parse(own).toString() === address.toString();
  return THIS_COMPUTER.some((range) => contains(range, address)) || addresses.some(isOwn);
}

/** The port that an address of http or https names or means. */
export const portOf = (url: string): number => {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
};

/** Of the server's own addresses only these may be sent to: they keep what arrives and do nothing else. */
const INSPECT = /^\/inspect\/[A-Za-z0-9]+$/;

/** Where a request is to go. */
interface Endpoint {
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
}

/** Where webhooks may be sent to, as far as the address tells, and what its name was resolved to. */
@Injectable()
export class WebhookTargets {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws Invalid for an address that cannot be sent to, and for the server's own */
  require(url: string, actor: Actor): void {
    if (!isTargetUrl(url)) throw new Invalid({ target_url: [targetUrlProblem(url)] });
    if (!this.isOwn(url, actor)) return;
    if (this.isInspection(new URL(url).pathname)) return;
    throw new Invalid({ target_url: ['This is the address of this server.'] });
  }

  /**
   * Why nothing is sent to an address that a name was resolved to: this server listens there. That other servers share the
   * port of a proxy before it is possible, so only this computer's own addresses count.
   */
  refusal(address: string, { hostname, port, path }: Endpoint): string | null {
    if (port !== this.config.port || this.isInspection(path)) return null;
    const literal = address.includes(':') ? `[${address}]` : address;
    if (!isThisComputer(`http://${literal}/`, thisComputer())) return null;
    return `refused: ${hostname} is this computer, and port ${port} there is this server itself; webhooks are for other servers`;
  }

  private isInspection(path: string): boolean {
    return this.config.inspectEnabled && INSPECT.test(path);
  }

  /** By the address of the request, the one that is set, or this computer's with the port that the server listens at. */
  private isOwn(url: string, actor: Actor): boolean {
    if ([actor.baseUrl, this.config.publicUrl].some((own) => isSameServer(url, own))) return true;
    if (portOf(url) !== this.config.port) return false;
    return isThisComputer(url, thisComputer());
  }
}

function thisComputer(): Computer {
  const addresses = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
  return { name: hostname(), addresses };
}
