import { hostname, networkInterfaces } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Invalid } from '../../core/http/errors.js';
import type { Actor } from '../../policy/actor.js';
import { isSameServer, isTargetUrl, isThisComputer, portOf, targetUrlProblem } from './target-url.js';

/** Of the server's own addresses only these may be sent to: they keep what arrives and do nothing else. */
const INSPECT = /^\/inspect\/[A-Za-z0-9]+$/;

/** Where webhooks may be sent to, as far as the address tells. */
@Injectable()
export class WebhookTargets {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws Invalid for an address that cannot be sent to, and for the server's own */
  require(url: string, actor: Actor): void {
    if (!isTargetUrl(url)) throw new Invalid({ target_url: [targetUrlProblem(url)] });
    if (!this.isOwn(url, actor)) return;
    if (this.config.inspectEnabled && INSPECT.test(new URL(url).pathname)) return;
    throw new Invalid({ target_url: ['This is the address of this server.'] });
  }

  /** By the address of the request, the one that is set, or this computer's with the port that the server listens at. */
  private isOwn(url: string, actor: Actor): boolean {
    if ([actor.baseUrl, this.config.publicUrl].some((own) => isSameServer(url, own))) return true;
    if (portOf(url) !== this.config.port) return false;
    const addresses = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
    return isThisComputer(url, { name: hostname(), addresses });
  }
}
