import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { AddressGuard, AllowListError, literalAddress } from './address-guard.js';

const strict = new AddressGuard({ allow: [], allowPrivate: false });
const lab = new AddressGuard({ allow: [], allowPrivate: true });
const allowing = (...allow: string[]) => new AddressGuard({ allow, allowPrivate: false });

describe('AddressGuard', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
    '3ffe::1',
    '64:ff9b::8.8.8.8',
    '::ffff:8.8.8.8',
  ])('allows %s', (address) => {
    expect(strict.refusal(address)).toBeNull();
  });

  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.255.255', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['100.100.100.200', 'cloud metadata'],
    ['169.254.0.1', 'link-local'],
    ['169.254.169.254', 'cloud metadata'],
    ['168.63.129.16', 'cloud platform'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['198.19.255.255', 'benchmark'],
    ['192.88.99.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::2', 'reserved'],
    ['fc00::1', 'unique local'],
    ['fdff::1', 'unique local'],
    ['fd00:ec2::254', 'cloud metadata'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['100::1', 'reserved'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['2001:2::1', 'benchmark'],
    ['2001:20::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['64:ff9b:1::1', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:0:127.0.0.1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'cloud metadata'],
    ['2002:7f00:1::', '6to4'],
    ['2001:0:1::1', 'Teredo'],
  ])('refuses %s: %s', (address, kind) => {
    expect(strict.refusal(address)).toContain(kind);
  });

  it.each([
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    '017700000001',
    '[::1]',
    '127.0.0.1.',
  ])('reads the spelling %s as loopback', (address) => {
    expect(strict.refusal(address)).toContain('loopback');
    expect(lab.refusal(address)).toBeNull();
  });

  it('says how to allow the address', () => {
    expect(strict.refusal('192.168.0.17')).toBe(
      'refused: 192.168.0.17 is a private address; allow it with WEBHOOK_ALLOW=192.168.0.0/24',
    );
    expect(strict.refusal('10.1.2.3', 'hooks.lan')).toBe(
      'refused: hooks.lan resolves to a private address; allow it with WEBHOOK_ALLOW=hooks.lan',
    );
    expect(strict.refusal('64:ff9b::10.1.2.3')).toMatch(/\(wraps 10\.1\.2\.3\).*=10\.1\.2\.0\/24$/);
    expect(strict.refusal('fd12:3::4')).toMatch(/=fd12:3::\/64$/);
    expect(strict.refusal('::1')).toMatch(/=::1\/128$/);
  });

  it('suggests a range that allows the address', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }).map((b) => b.join('.')),
      fc.ipV6(),
      fc.ipV4().map((v4) => `::ffff:${v4}`),
    );
    fc.assert(
      fc.property(bytes, (address) => {
        const suggestion = strict.refusal(address)?.split('WEBHOOK_ALLOW=')[1];
        expect(suggestion === undefined ? null : allowing(suggestion).refusal(address)).toBeNull();
      }),
    );
  });

  it('opens private networks with allowPrivate, and nothing else', () => {
    const open = ['10.0.0.1', '127.0.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1'];
    const closed = [
      '169.254.169.254',
      '169.254.1.1',
      'fe80::1',
      'fd00:ec2::254',
      '100.100.100.200',
      '224.0.0.1',
      '0.0.0.0',
    ];
    expect(open.map((address) => lab.refusal(address))).toEqual(open.map(() => null));
    for (const address of closed) expect(lab.refusal(address)).toMatch(/^refused/);
  });

  it('allows listed ranges, also for IPv4-mapped addresses', () => {
    const guard = allowing(' 10.1.0.0/16', '192.168.0.17', 'FD12::/16');
    for (const address of ['10.1.255.1', '::ffff:10.1.0.1', '64:ff9b::10.1.0.1', '192.168.0.17', 'fd12::9']) {
      expect(guard.refusal(address)).toBeNull();
    }
    for (const address of ['10.2.0.1', '192.168.0.18', 'fd13::9']) expect(guard.refusal(address)).toMatch(/^refused/);
  });

  it('allows listed hosts, but not the same address under another name', () => {
    const guard = allowing('hook.lan', '*.corp.example');
    expect(guard.refusal('10.0.0.1', 'HOOK.lan.')).toBeNull();
    expect(guard.refusal('10.0.0.1', 'a.b.corp.example')).toBeNull();
    for (const host of ['corp.example', 'evilcorp.example', 'x.hook.lan', undefined]) {
      expect(guard.refusal('10.0.0.1', host)).toMatch(/^refused/);
    }
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0',
    '10.0.0.0/',
    '::/129',
    'a b',
    'http://x',
    'x:80',
    '*',
    '1234',
    '10.0.0.0/8,::1',
  ])('reports an invalid entry: %j', (entry) => {
    expect(() => allowing('10.0.0.0/8', entry)).toThrow(AllowListError);
    expect(() => allowing(entry)).toThrow(`"${entry}" in WEBHOOK_ALLOW`);
  });

  it('refuses text that is not an address', () => {
    for (const text of ['example.org', '', '1.2.3.4.5', 'a b', '::g']) {
      expect(literalAddress(text)).toBeNull();
      expect(strict.refusal(text)).toMatch(/is not an IP address/);
    }
  });
});
