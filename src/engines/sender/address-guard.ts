import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { contains, specialRangeOf, unwrap } from './address-ranges.js';
import type { Address, Range } from './address-ranges.js';

export interface AddressGuardSettings {
  /** Non-public destinations that are allowed: `10.0.0.0/8`, `fd12::/16`, `192.168.0.17`, `hook.lan`, `*.lan`. */
  allow: readonly string[];
  /**
   * Allows private, loopback, unique local and carrier-grade NAT ranges; link-local and metadata addresses stay
   * blocked.
   */
  allowPrivate: boolean;
  /** Name of the setting behind `allow`, for error sentences. Default: WEBHOOK_ALLOW. */
  setting?: string;
}

/** An invalid entry of `allow`. */
export class AllowListError extends Error {
  override readonly name = 'AllowListError';
}

const HOST = /^(?:\*\.)?(?:[a-z0-9_-]+\.)*[a-z0-9_-]*[a-z_-][a-z0-9_-]*$/;

/** Decides which addresses the server may connect to on behalf of users. */
export class AddressGuard {
  private readonly ranges: Range[] = [];
  private readonly hosts = new Set<string>();
  private readonly suffixes: string[] = [];
  private readonly allowPrivate: boolean;
  private readonly setting: string;

  /** Throws {@link AllowListError} that names the first invalid entry of `allow`. */
  constructor(settings: AddressGuardSettings) {
    this.allowPrivate = settings.allowPrivate;
    this.setting = settings.setting ?? 'WEBHOOK_ALLOW';
    for (const entry of settings.allow) this.addEntry(entry.trim().toLowerCase());
  }

  /**
   * Null if a connection to `address` (in any spelling) is allowed, otherwise a sentence that gives the reason and a
   * remedy. `hostname` is the name it was resolved from, if any.
   */
  refusal(address: string, hostname?: string): string | null {
    const literal = literalAddress(address);
    if (literal === null) return `refused: "${address}" is not an IP address`;
    if (hostname !== undefined && this.allowsHost(hostname)) return null;

    const outer = ipaddr.parse(literal);
    const inner = unwrap(outer);
    if (this.ranges.some((range) => contains(range, outer) || contains(range, inner))) return null;

    const special = specialRangeOf(inner);
    if (special === null || (special.lab && this.allowPrivate)) return null;
    // Users who name a host must not learn what this server's name servers know about it.
    if (hostname !== undefined && bareHost(hostname) !== outer.toString())
      return `refused: ${hostname} resolves to ${special.what}; allow it with ${this.setting}=${bareHost(hostname)}`;
    return `${refusalSentence(outer, inner, special.what)}; allow it with ${this.setting}=${suggestedRange(inner)}`;
  }

  /** As {@link refusal}, for a host: undefined for a name that is not on the allowlist, because only its addresses tell. */
  refusalOfHost(hostname: string): string | null | undefined {
    const literal = literalAddress(hostname);
    if (literal !== null) return this.refusal(literal);
    return this.allowsHost(hostname) ? null : undefined;
  }

  /** Whether the host name itself is on the allowlist, which makes all of its addresses trusted. */
  allowsHost(hostname: string): boolean {
    const name = bareHost(hostname);
    return this.hosts.has(name) || this.suffixes.some((suffix) => name.endsWith(suffix));
  }

  private addEntry(entry: string): void {
    if (isIP(entry.split('/')[0] ?? '') !== 0) this.ranges.push(this.parseRange(entry));
    else if (!HOST.test(entry)) throw this.invalidEntry(entry);
    else if (entry.startsWith('*.')) this.suffixes.push(entry.slice(1));
    else this.hosts.add(entry);
  }

  private parseRange(entry: string): Range {
    try {
      if (entry.includes('/')) return ipaddr.parseCIDR(entry);
      const address = ipaddr.parse(entry);
      return [address, address.kind() === 'ipv4' ? 32 : 128];
    } catch {
      throw this.invalidEntry(entry);
    }
  }

  private invalidEntry(entry: string): AllowListError {
    return new AllowListError(
      `"${entry}" in ${this.setting} is not an address, a range like 10.0.0.0/8 or a host name like hooks.example.org`,
    );
  }
}

/**
 * The canonical form of a literal address in any spelling that URLs allow (`2130706433`, `0x7f.1`, `0177.0.0.1`,
 * `127.1`, `[::ffff:7f00:1]`), or null for a host name. It uses the same URL parser as the sender, so the two cannot
 * disagree.
 */
export function literalAddress(host: string): string | null {
  if (isIP(host) !== 0) return host;
  const url = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`) : null;
  const name = bareHost(url?.hostname ?? '');
  return isIP(name) === 0 ? null : name;
}

/** A host name in lower case, without the brackets of IPv6 and the trailing dot of the root. */
export function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function refusalSentence(outer: Address, inner: Address, what: string): string {
  const wrapped = inner === outer ? '' : ` (wraps ${inner.toString()})`;
  return `refused: ${outer.toString()}${wrapped} is ${what}`;
}

/** The range to suggest for an address: /24 for IPv4, /64 for IPv6, only the address itself for IPv6 loopback. */
function suggestedRange(address: Address): string {
  if (address.kind() === 'ipv4')
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/24`).toString()}/24`;
  if (address.toString() === '::1') return '::1/128';
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}
