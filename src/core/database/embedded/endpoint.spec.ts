import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Client } from 'pg';
import { canHoldSocket, connectionUrl, endpointSettings } from './endpoint.js';

describe('canHoldSocket', () => {
  it('limits the whole path in bytes, including the socket name', () => {
    const fits = `/${'a'.repeat(85)}`; // plus 14 bytes for /.s.PGSQL.5432
    expect(canHoldSocket(fits)).toBe(true);
    expect(canHoldSocket(`${fits}a`)).toBe(false);
    expect(canHoldSocket(`/${'ä'.repeat(43)}`)).toBe(false);
  });

  it('refuses what PostgreSQL would parse as a list', () => {
    expect(canHoldSocket('/data/a,b')).toBe(false);
    expect(canHoldSocket('/data/a "b"')).toBe(false);
    expect(canHoldSocket('/data/a b')).toBe(true);
  });
});

describe('connectionUrl', () => {
  it('is parsed correctly by pg for any folder name', () => {
    const folder = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes('\0'));
    fc.assert(
      fc.property(folder, (name) => {
        const client = new Client({ connectionString: connectionUrl({ host: `/${name}`, port: 5432 }, 'p:w@/%') });
        expect([client.host, client.port, client.user, client.password, client.database]).toEqual([
          `/${name}`,
          5432,
          'cairn',
          'p:w@/%',
          'cairn',
        ]);
      }),
    );
  });
});

describe('endpointSettings', () => {
  it('opens either the socket or the loopback port', () => {
    expect(endpointSettings({ host: '/run/x', port: 5432 })).toEqual({
      listen_addresses: '',
      unix_socket_directories: '/run/x',
      port: '5432',
    });
    expect(endpointSettings({ host: '127.0.0.1', port: 6000 })).toEqual({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: '6000',
    });
  });
});
