import { describe, expect, it } from '@jest/globals';
import { isSameServer, isTargetUrl, isThisComputer, portOf } from './target-url.js';

describe('target addresses', () => {
  it.each([
    'http://receiver.example/hook',
    'https://receiver.example:8443/hook?key=value#part',
    'HTTP://LOCALHOST',
    'http://127.0.0.1:9000/x',
    'http://[::1]:8000/',
    'http://bücher.example',
    'http://xn--bcher-kva.example./',
    'https://a.b-c.xn--p1ai',
  ])('takes %s', (url) => expect(isTargetUrl(url)).toBe(true));

  it.each([
    '',
    'nope',
    'receiver.example',
    'ftp://receiver.example',
    'file:///etc/passwd',
    'http://',
    'http://receiver',
    'http://receiver.c',
    'http://-a.example',
    'http://user@receiver.example',
    'http://user:secret@receiver.example',
    'http://receiver.example:99999',
    'http://receiver.example:x',
    'http://256.1.1.1',
    'http://[::1',
    'http://receiver.example/a b',
    'http://receiver.example\n',
    'javascript:alert(1)',
  ])('refuses %j', (url) => expect(isTargetUrl(url)).toBe(false));

  it('knows the same server under another path or spelling of the port', () => {
    expect(isSameServer('http://HOST.example:80/a', 'http://host.example')).toBe(true);
    expect(isSameServer('https://host.example/a', 'http://host.example')).toBe(false);
    expect(isSameServer('nope', 'nope')).toBe(false);
  });

  it.each([
    'localhost', 'LOCALHOST.', 'api.localhost', '127.0.0.1', '127.9.9.9', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0',
    '[::]', '10.1.2.3', '[::ffff:10.1.2.3]', '[fd00::5]', '[fd00:0::5]',
  ])('knows this computer by %s', (host) =>
    expect(isThisComputer(`http://${host}:8080/x`, ['10.1.2.3', 'fd00::5'])).toBe(true)); // prettier-ignore

  it.each(['10.1.2.4', '[fd00::6]', 'receiver.example', 'localhost.example', '128.0.0.1'])(
    'takes %s for another',
    (host) => expect(isThisComputer(`http://${host}:8080/x`, ['10.1.2.3', 'fd00::5'])).toBe(false),
  );

  it('knows the port that is meant', () => {
    expect(['http://a.example', 'https://a.example/x', 'http://a.example:81'].map(portOf)).toEqual([80, 443, 81]);
  });
});
