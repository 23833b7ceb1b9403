import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = readonly [Address, number];

/** Why an address is not a place on the public internet. */
export interface SpecialRange {
  range: Range;
  /** Completes "… is ": with its article. */
  what: string;
  /** Opened by `allowPrivate`: networks a laboratory uses. Metadata, link-local and non-unicast ranges never are. */
  lab: boolean;
}

const special = (cidr: string, what: string, lab = false): SpecialRange => ({
  range: ipaddr.parseCIDR(cidr),
  what,
  lab,
});

/**
 * IANA's special-purpose registries of IPv4 and IPv6 (RFC 6890 and its updates), and the metadata services of clouds
 * that hide in a range a laboratory may open. The first entry that holds an address names it.
 */
const SPECIAL: readonly SpecialRange[] = [
  special('169.254.169.254/32', 'a cloud metadata address'),
  special('168.63.129.16/32', 'a cloud platform address'),
  special('100.100.100.200/32', 'a cloud metadata address'),
  special('fd00:ec2::254/128', 'a cloud metadata address'),

  special('127.0.0.0/8', 'a loopback address', true),
  special('10.0.0.0/8', 'a private address', true),
  special('172.16.0.0/12', 'a private address', true),
  special('192.168.0.0/16', 'a private address', true),
  special('100.64.0.0/10', 'a carrier-grade NAT address', true),
  special('0.0.0.0/8', 'an unspecified address'),
  special('169.254.0.0/16', 'a link-local address'),
  special('192.0.2.0/24', 'a documentation address'),
  special('198.51.100.0/24', 'a documentation address'),
  special('203.0.113.0/24', 'a documentation address'),
  special('198.18.0.0/15', 'a benchmark address'),
  special('192.0.0.0/24', 'a reserved address'),
  special('192.88.99.0/24', 'a reserved address'),
  special('255.255.255.255/32', 'the broadcast address'),
  special('224.0.0.0/4', 'a multicast address'),
  special('240.0.0.0/4', 'a reserved address'),

  special('::1/128', 'a loopback address', true),
  special('::/128', 'an unspecified address'),
  special('fc00::/7', 'a private (unique local) address', true),
  special('fe80::/10', 'a link-local address'),
  special('fec0::/10', 'a private (site-local) address'),
  special('ff00::/8', 'a multicast address'),
  special('2001:db8::/32', 'a documentation address'),
  special('3fff::/20', 'a documentation address'),
  special('2001:2::/48', 'a benchmark address'),
  special('2001::/32', 'a Teredo tunnel address'),
  special('2001::/23', 'a reserved address'),
  special('2002::/16', 'a 6to4 tunnel address'),
];

const GLOBAL_UNICAST: Range = ipaddr.parseCIDR('2000::/3');
const RESERVED_V6 = special('::/0', 'a reserved address');

/** IPv6 ranges whose last 32 bits are the IPv4 address that is really connected to. */
const WRAPPING: readonly Range[] = [
  ipaddr.parseCIDR('::ffff:0:0/96'), // IPv4-mapped
  ipaddr.parseCIDR('::ffff:0:0:0/96'), // IPv4-translated, RFC 2765
  ipaddr.parseCIDR('64:ff9b::/96'), // NAT64, RFC 6052
];

/** Whether `address` lies in `range`; false across families. */
export function contains(range: Range, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range[0], range[1]);
}

/** The IPv4 address inside a mapped, translated or NAT64 address; any other address as it is. */
export function unwrap(address: Address): Address {
  if (!WRAPPING.some((range) => contains(range, address))) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(12));
}

/** The special range an (unwrapped) address belongs to, or null for a public one. */
export function specialRangeOf(address: Address): SpecialRange | null {
  const found = SPECIAL.find(({ range }) => contains(range, address));
  if (found) return found;
  // Of IPv6 only one eighth is given out; the rest has no business in a webhook.
  return address.kind() === 'ipv6' && !contains(GLOBAL_UNICAST, address) ? RESERVED_V6 : null;
}
