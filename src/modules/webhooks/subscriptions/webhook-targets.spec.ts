import { networkInterfaces } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../../config/config.js';
import { WebhookTargets } from './webhook-targets.js';

const PORT = 8080;
const targets = (inspectEnabled: boolean): WebhookTargets =>
  new WebhookTargets({ port: PORT, inspectEnabled } as unknown as Config);
const to = (port: number, path = '/hook') => ({ hostname: 'alias.example', port, path });
const cards = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));

describe('the addresses that a target was resolved to', () => {
  it.each(['127.0.0.1', '127.0.1.1', '::1', '::ffff:127.0.0.1', ...cards])(
    'are refused when %s is this server',
    (own) => {
      expect(targets(false).refusal(own, to(PORT))).toBe(
        `refused: alias.example is this computer, and port 8080 there is this server itself; webhooks are for other servers`,
      );
    },
  );

  it('are let through at other ports and other computers', () => {
    expect(targets(false).refusal('127.0.0.1', to(PORT + 1))).toBeNull();
    expect(targets(false).refusal('192.0.2.1', to(PORT))).toBeNull();
  });

  it('are let through to its own receivers, when these are switched on', () => {
    expect(targets(true).refusal('127.0.0.1', to(PORT, '/inspect/abc'))).toBeNull();
    expect(targets(true).refusal('127.0.0.1', to(PORT, '/api/tasks'))).not.toBeNull();
    expect(targets(false).refusal('127.0.0.1', to(PORT, '/inspect/abc'))).not.toBeNull();
  });
});
