import { describe, expect, it } from '@jest/globals';
import { isSameServer, isTargetUrl, isOwnAddress, portOf, targetUrlProblem, WebhookTargets } from './target-url.js';
import { networkInterfaces } from 'node:os';
import type { Config } from '../../../config/config.js';
import type { Invalid } from '../../../core/http/errors/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';

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

  it.each([
    ['nope', 'Enter a valid URL.'],
    ['http://receiver.example:99999', 'Enter a valid URL.'],
    ['http://[fe80::1%25eth0]/', 'Enter a valid URL.'],
    ['http://receiver.example/a b', 'Enter a valid URL.'],
    ['file:///etc/passwd', 'Enter a valid URL.'],
    ['ftp://receiver.example', 'Enter a valid URL that starts with http:// or https://.'],
    [
      'http://user:secret@receiver.example',
      'Enter a valid URL without user name and password. To authenticate, set an "Authorization" header in custom_headers.',
    ],
    ['http://receiver/hook', 'Enter a valid URL.'],
  ])('says of %s what is wrong', (url, problem) => expect(targetUrlProblem(url)).toBe(problem));

  it('knows the same server under another path or spelling of the port', () => {
    expect(isSameServer('http://HOST.example:80/a', 'http://host.example')).toBe(true);
    expect(isSameServer('http://host.example./a', 'http://host.example')).toBe(true);
    expect(isSameServer('http://bücher.example', 'https://xn--bcher-kva.example/')).toBe(true);
    expect(isSameServer('https://host.example/a', 'http://host.example')).toBe(true);
    expect(isSameServer('https://host.example/a', 'http://host.example:8080')).toBe(false);
    expect(isSameServer('http://host.example:8081/a', 'http://host.example:8080')).toBe(false);
    expect(isSameServer('nope', 'nope')).toBe(false);
  });

  const computer = { name: 'lab.example', addresses: ['10.1.2.3', 'fd00::5'] };
  it.each([
    'localhost', 'LOCALHOST.', 'api.localhost', '127.0.0.1', '127.9.9.9', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0',
    '[::]', '10.1.2.3', '[::ffff:10.1.2.3]', '[fd00::5]', '[fd00:0::5]', 'Lab.example', 'lab.example.',
  ])('knows this computer by %s', (host) =>
    expect(isOwnAddress(`http://${host}:8080/x`, computer)).toBe(true)); // prettier-ignore

  it.each(['10.1.2.4', '[fd00::6]', 'receiver.example', 'localhost.example', '128.0.0.1'])(
    'takes %s for another',
    (host) => expect(isOwnAddress(`http://${host}:8080/x`, computer)).toBe(false),
  );

  it('knows the default port', () => {
    expect(['http://a.example', 'https://a.example/x', 'http://a.example:81'].map(portOf)).toEqual([80, 443, 81]);
  });
});

const PORT = 8080;

const targets = (inspectEnabled: boolean): WebhookTargets => targetsWith([], inspectEnabled);

const targetsWith = (allow: readonly string[], inspectEnabled = false, allowPrivate = false): WebhookTargets =>
  new WebhookTargets({
    port: PORT,
    publicUrl: '',
    inspectEnabled,
    webhooks: { allow, allowPrivate },
  } as unknown as Config);

const to = (port: number, path = '/hook') => ({ hostname: 'alias.example', port, path });

const cards = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));

describe('the addresses that a target was resolved to', () => {
  it.each(['127.0.0.1', '127.0.1.1', '::1', '::ffff:127.0.0.1', ...cards])(
    'are refused when %s is this server',
    (own) => {
      expect(targets(false).refusal(own, to(PORT))).toBe(
        `refused: alias.example resolves to this server itself (port 8080); webhooks can only target other servers`,
      );
    },
  );

  it('are let through at other ports and other computers', () => {
    expect(targets(false).refusal('127.0.0.1', to(PORT + 1))).toBeNull();
    expect(targets(false).refusal('192.0.2.1', to(PORT))).toBeNull();
  });

  it('are let through to its own receivers, when these are enabled', () => {
    expect(targets(true).refusal('127.0.0.1', to(PORT, '/inspect/abc'))).toBeNull();
    expect(targets(true).refusal('127.0.0.1', to(PORT, '/api/tasks'))).not.toBeNull();
    expect(targets(false).refusal('127.0.0.1', to(PORT, '/inspect/abc'))).not.toBeNull();
  });
});

describe('a target', () => {
  const actor = { baseUrl: 'https://cairn.example' } as Actor;
  const problemOf = (url: string, allow: readonly string[] = []): string | undefined => {
    try {
      targetsWith(allow).require(url, actor);
      return undefined;
    } catch (error) {
      return ((error as Invalid).body as { target_url: string[] }).target_url[0];
    }
  };

  it.each([
    ['http://receiver:9000/hook', 'receiver'],
    ['http://my_service/hook', 'my_service'],
    ['http://my_service.internal/hook', 'my_service.internal'],
    ['http://my_service.internal/hook', '*.internal'],
    ['http://10.0.0.5/', '10.0.0.0/8'],
    ['http://receiver.c/hook', 'receiver.c'],
  ])('%s is accepted if WEBHOOK_ALLOW has %s', (url, entry) => {
    expect(problemOf(url, [entry])).toBeUndefined();
  });

  it.each([
    ['http://receiver:9000/hook', 'The host name receiver has no dot.'],
    ['http://my_service.internal/hook', 'The host name my_service.internal has an underscore.'],
    ['http://receiver.c/hook', 'The host name receiver.c is no public name.'],
  ])('%s is refused, and the error says what allows it', (url, fault) => {
    const { hostname } = new URL(url);
    expect(problemOf(url, ['other'])).toBe(
      `Enter a valid URL. ${fault} If it is a server in your own network, an administrator can allow it with WEBHOOK_ALLOW=${hostname}.`,
    );
  });

  it.each(['http://-a/', 'http://a b/', 'http://receiver.example:99999/', 'http://re$ceiver/'])('%s is no URL, whatever is allowed', (url) => {
    expect(problemOf(url, ['a', 'receiver'])).toBe('Enter a valid URL.');
  }); // prettier-ignore

  it.each([
    ['http://10.0.0.5/', '10.0.0.5 is a private address. An administrator can allow it with WEBHOOK_ALLOW=10.0.0.0/24.'],
    ['http://169.254.169.254/', '169.254.169.254 is a cloud metadata address. An administrator can allow it with WEBHOOK_ALLOW=169.254.169.0/24.'],
    ['http://[::1]:9000/', '::1 is a loopback address. An administrator can allow it with WEBHOOK_ALLOW=::1/128.'],
  ])('%s is refused by the policy of the server', (url, reason) => {
    expect(problemOf(url)).toBe(`The policy of this server refuses this receiver: ${reason}`);
  }); // prettier-ignore

  it('that resolves to a refused address is refused', async () => {
    const check = targetsWith([]).requireAllowedName('http://localhost:9000/');
    await expect(check).rejects.toMatchObject({
      body: { target_url: [expect.stringMatching(/^The policy of this server refuses this receiver: localhost resolves to /)] },
    });
  }); // prettier-ignore

  it.each<[string, WebhookTargets, boolean]>([
    ['http://localhost:9000/', targetsWith([]), true],
    ['http://localhost:9000/', targetsWith(['localhost']), false],
    ['http://127.0.0.1:9000/', targetsWith([]), false],
    ['http://receiver.example/', targetsWith([], false, true), false],
    ['nope', targetsWith([]), false],
  ])('%s is looked up only if its name is unknown (%#)', (url, of, isNeeded) => {
    expect(of.needsLookup(url)).toBe(isNeeded);
  });
});
