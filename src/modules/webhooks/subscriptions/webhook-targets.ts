import { hostname, networkInterfaces } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Invalid } from '../../../core/http/errors.js';
import type { Actor } from '../../../policy/actor.js';
import { type Computer, isSameServer, isTargetUrl, isThisComputer, portOf, targetUrlProblem } from './target-url.js';

/** Of the server's own addresses only these may be sent to: they keep what arrives and do nothing else. */
const INSPECT = /^\/inspect\/[A-Za-z0-9]+$/;

/** Where a request is to go. */
interface Place {
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
}

/** Where webhooks may be sent to, as far as the address tells, and what its name was resolved to. */
@Injectable()
export class WebhookTargets {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws Invalid for an address that cannot be sent to, and for the server's own */
  require(url: string, actor: Actor): void {
    if (!isTargetUrl(url)) throw new Invalid({ target_url: [targetUrlProblem(url)] });
    if (!this.isOwn(url, actor)) return;
    if (this.isInspection(new URL(url).pathname)) return;
    throw new Invalid({ target_url: ['This is the address of this server.'] });
  }

  /**
   * Why nothing is sent to an address that a name was resolved to: this server listens there. That other servers share the
   * port of a proxy before it is possible, so only this computer's own addresses count.
   */
  refusal(address: string, { hostname, port, path }: Place): string | null {
    if (port !== this.config.port || this.isInspection(path)) return null;
    const literal = address.includes(':') ? `[${address}]` : address;
    if (!isThisComputer(`http://${literal}/`, thisComputer())) return null;
    return `refused: ${hostname} is this computer, and port ${port} there is this server itself; webhooks are for other servers`;
  }

  private isInspection(path: string): boolean {
    return this.config.inspectEnabled && INSPECT.test(path);
  }

  /** By the address of the request, the one that is set, or this computer's with the port that the server listens at. */
  private isOwn(url: string, actor: Actor): boolean {
    if ([actor.baseUrl, this.config.publicUrl].some((own) => isSameServer(url, own))) return true;
    if (portOf(url) !== this.config.port) return false;
    return isThisComputer(url, thisComputer());
  }
}

function thisComputer(): Computer {
  const addresses = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
  return { name: hostname(), addresses };
}
