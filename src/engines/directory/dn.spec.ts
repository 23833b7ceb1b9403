import { describe, expect, it } from '@jest/globals';
import { isBelow, looksLikeDn, parseDn, sameDn } from './dn.js';

const isSame = (a: string, b: string): boolean => {
  const [one, other] = [parseDn(a), parseDn(b)];
  return one !== null && other !== null && sameDn(one, other);
};

describe('distinguished names', () => {
  it.each([
    ['CN=Vision Team,OU=Groups,DC=example', 'cn=vision team,ou=groups,dc=example'],
    [' cn = a , ou=b ', 'cn=a,ou=b'],
    ['cn=a  b,dc=c', 'cn=a b,dc=c'],
    ['cn=a\\, b,dc=c', 'cn=a\\2c b,dc=c'],
    ['cn=J\\C3\\A9r\\C3\\B4me', 'cn=Jérôme'],
    ['cn=Je\u0301ro\u0302me', 'cn=JÉRÔME'],
    ['cn=a+uid=b,dc=c', 'UID=B + CN=A, DC=C'],
    ['2.5.4.3=a,OID.2.5.4.11=b', 'commonName=a,organizationalUnitName=b'],
    ['cn=#0c0161,dc=b', 'cn=a,dc=b'],
    ['cn=#04024869', 'cn=hi'],
    ['cn=\\#1', 'cn=\\231'],
    ['cn=a\\=b', 'cn=a=b'],
    ['cn=', 'cn='],
  ])('%j is the same as %j', (a, b) => expect(isSame(a, b)).toBe(true));

  it.each([
    ['cn=a,dc=c', 'cn=a,dc=d'],
    ['cn=a,ou=b,dc=c', 'cn=a,dc=c'],
    ['cn=a\\,ou=b,dc=c', 'cn=a,ou=b,dc=c'],
    ['cn=a\\+uid=b', 'cn=a+uid=b'],
    ['cn=a%2Cou%3Db', 'cn=a\\,ou=b'],
    ['cn=\\ a', 'cn=a'],
    ['cn=a\\ ,dc=b', 'cn=a,dc=b'],
    ['cn=boo\u212A', 'cn=book'],
    ['cn=\uFF41', 'cn=a'],
    ['cn=#0c0161', 'cn=\\#0c0161'],
    ['cn=a\\00', 'cn=a'],
    ['cn=a', 'ou=a'],
    ['cn=\\ff', 'cn=#ff'],
  ])('%j is another one than %j', (a, b) => expect(isSame(a, b)).toBe(false));

  it.each([
    '', 'bosses', 'a,b', 'cn', 'cn=a,', ',cn=a', 'cn=a,,dc=b', 'cn=a+', 'cn=a,b', '=a', 'c n=a', 'cn=a"b"', 'cn=a;dc=b',
    'cn=<a>', 'cn=a\\', 'cn=a\\x', 'cn=#zz', 'cn=#0', '1=a', '1.=a', 'cn=a\0',
  ])('%j is none', (text) => expect(parseDn(text)).toBeNull()); // prettier-ignore

  it.each([['cn=a'], ['CN = a,,'], ['2.5.4.3=a']])('%j is meant as one', (text) =>
    expect(looksLikeDn(text)).toBe(true),
  );

  it.each([['bosses'], ['a,b'], ['team (a=b)'], ['=a'], ['']])('%j is not meant as one', (text) =>
    expect(looksLikeDn(text)).toBe(false),
  );

  it('are below their base', () => {
    const below = (dn: string, base: string) => isBelow(parseDn(dn) ?? [], parseDn(base) ?? []);
    expect([below('cn=a,OU=b,dc=c', 'ou=B, dc=c'), below('ou=b,dc=c', 'ou=b,dc=c')]).toEqual([true, true]);
    expect([below('cn=a,dc=c', 'ou=b,dc=c'), below('cn=a\\,ou=b,dc=c', 'ou=b,dc=c')]).toEqual([false, false]);
  });
});
