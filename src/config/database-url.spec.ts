import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl, withoutPassword } from './database-url.js';

describe('a connection URL', () => {
  it.each([
    ['postgres://host/db', [{ host: 'host', port: 5432 }]],
    ['postgresql://u:p@host:5433/db', [{ host: 'host', port: 5433 }]],
    [
      'postgres://u@h1:5433,h2,[::1]:5434/db',
      [
        { host: 'h1', port: 5433 },
        { host: 'h2', port: 5432 },
        { host: '::1', port: 5434 },
      ],
    ],
    ['postgres://u@%2Frun%2Fpostgresql:5433/db', [{ host: '/run/postgresql', port: 5433 }]],
    ['postgres:///db?host=/run/postgresql', [{ host: '/run/postgresql', port: 5432 }]],
    [
      'postgres:///db?host=h1,h2&port=1,2',
      [
        { host: 'h1', port: 1 },
        { host: 'h2', port: 2 },
      ],
    ],
    [
      'postgres:///db?host=h1,h2&port=6',
      [
        { host: 'h1', port: 6 },
        { host: 'h2', port: 6 },
      ],
    ],
  ])('%s names its servers', (url, hosts) => {
    expect(parseDatabaseUrl(url)).toMatchObject({ hosts, database: 'db' });
  });

  it('contains decoded names, a password and options of the session', () => {
    expect(
      parseDatabaseUrl('postgres://a%40b:p%3A%2F:w@h/d%20b?options=-c%20search_path%3Dx&application_name=y'),
    ).toMatchObject({
      user: 'a@b',
      password: 'p:/:w',
      database: 'd b',
      options: '-c search_path=x',
      applicationName: 'y',
    });
  });

  it.each([
    ['', undefined],
    ['sslmode=require', { mode: 'require', rootCertificate: undefined }],
    ['sslmode=verify-full&sslrootcert=/ca.crt', { mode: 'verify-full', rootCertificate: '/ca.crt' }],
    ['sslmode=verify-full&sslrootcert=system', { mode: 'verify-full', rootCertificate: undefined }],
    ['sslrootcert=/ca.crt&sslcert=/c&sslkey=/k', { mode: 'verify-full', certificate: '/c', key: '/k' }],
    ['ssl=true', { mode: 'verify-full' }],
  ])('with %s is encrypted accordingly', (query, tls) => {
    const { tls: found } = parseDatabaseUrl(`postgres://h/db?${query}`);
    if (tls === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(tls);
  });

  it.each([
    ['mysql://h/db', 'must be a URL such as postgres://'],
    ['postgres://u:p@ss@h/db', 'Encode special characters of the password'],
    ['postgres://u:50%@h/db', 'Write % as %25'],
    ['postgres://h:port/db', 'has a host or port that cannot be parsed'],
    ['postgres://h:70000/db', 'has a host or port that cannot be parsed'],
    [
      'postgres://u:S3cret/x@h/db',
      'has a host or port that cannot be parsed. Encode special characters of the password',
    ],
    ['postgres://h/db?ssl_mode=verify-full', 'has the parameter "ssl_mode". The parameters for TLS are sslcert'],
    ['postgres://h/db?sslmode=require&sslcert=a.crt', 'has only one of sslcert and sslkey'],
    ['postgres://h/db?sslmode=prefer', 'has sslmode=prefer. Use disable'],
    ['postgres://h/db?sslmode=verify-ca', 'without a file in sslrootcert'],
    ['postgres://h,i/db?target_session_attrs=any', 'Cairn writes, so use read-write or primary'],
  ])('%s is refused', (url, sentence) => {
    expect(() => parseDatabaseUrl(url)).toThrow(sentence);
  });

  it.each([
    ['postgres://u:secret@h1,h2/db?x=y', 'postgres://u@h1,h2/db?x=y'],
    ['postgres://h/db?user=u&password=secret&x=y', 'postgres://h/db?user=u&password=***&x=y'],
    ['postgres://u@h/db', 'postgres://u@h/db'],
  ])('%s is shown without its password', (url, shown) => {
    expect(withoutPassword(url)).toBe(shown);
  });
});
