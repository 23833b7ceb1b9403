import ipaddr from 'ipaddr.js';
import { bareHost, literalAddress } from '../../engines/sender/address-guard.js';
import { contains, unwrap } from '../../engines/sender/address-ranges.js';

const LABEL = '[a-z\\u00a1-\\uffff0-9](?:[a-z\\u00a1-\\uffff0-9-]{0,61}[a-z\\u00a1-\\uffff0-9])?';
const NAME = `(?:${LABEL}\\.)+(?:[a-z\\u00a1-\\uffff]{2,63}|xn--[a-z0-9-]{1,59})\\.?`;
const HOST = `(?:localhost|${NAME}|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\])`;

/**
 * Where deliveries can go: http or https without user name and password; the host is a name with a dot in it,
 * `localhost` or an address.
 */
export const TARGET_URL = new RegExp(`^https?://${HOST}(?::\\d{1,5})?(?:[/?#]\\S*)?$`, 'i');
export const TARGET_URL_PROBLEM = 'Enter a valid URL.';

/** Is the text an address that a request can be sent to? The pattern alone lets ports and numbers be too large. */
export const isTargetUrl = (text: string): boolean => TARGET_URL.test(text) && URL.canParse(text);

/** Do two addresses name the same server (scheme, host and port)? */
export const isSameServer = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

const THIS_COMPUTER = ['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128'].map((range) => ipaddr.parseCIDR(range));

/**
 * Does the address name this computer, by itself and not by a name that has to be looked up: `localhost`, loopback, the
 * unspecified address, an address of a network card?
 *
 * @param ownAddresses of the network cards
 */
export function isThisComputer(url: string, ownAddresses: readonly string[]): boolean {
  const host = bareHost(new URL(url).hostname);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const literal = literalAddress(host);
  if (literal === null) return false;
  const address = unwrap(ipaddr.parse(literal));
  const isOwn = (own: string): boolean => ipaddr.parse(own).toString() === address.toString();
  return THIS_COMPUTER.some((range) => contains(range, address)) || ownAddresses.some(isOwn);
}

/** The port that an address of http or https names or means. */
export const portOf = (url: string): number => {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
};
