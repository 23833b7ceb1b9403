import type { OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, GOOGLE_STORAGE } from '../../config/config.js';
import { AddressGuard, bareHost } from '../../engines/sender/address-guard.js';
import { GuardedAgent } from '../../engines/sender/guarded-agent.js';

/** Connections to other servers on behalf of users: to public addresses, and to those that REMOTE_ALLOW lists. */
@Injectable()
export class RemoteAgents implements OnApplicationShutdown {
  readonly http: GuardedAgent;
  readonly https: GuardedAgent;
  /** For Google Cloud Storage, whose server the operator has chosen: a private one needs no other permission. */
  readonly google: { readonly http: GuardedAgent; readonly https: GuardedAgent };

  constructor(@Inject(CONFIG) { remote }: Config) {
    const { allow, googleEndpoint } = remote;
    const own = googleEndpoint === GOOGLE_STORAGE ? [] : [bareHost(new URL(googleEndpoint).hostname)];
    [this.http, this.https] = agentsFor(remote, allow);
    const [http, https] = agentsFor(remote, [...allow, ...own]);
    this.google = { http, https };
  }

  onApplicationShutdown(): void {
    this.http.destroy();
    this.https.destroy();
    this.google.http.destroy();
    this.google.https.destroy();
  }
}

function agentsFor(
  { allowPrivate, timeoutMs: connectMs }: Config['remote'],
  allow: readonly string[],
): [GuardedAgent, GuardedAgent] {
  const guard = new AddressGuard({ allow, allowPrivate, setting: 'REMOTE_ALLOW' });
  const agent = (secure: boolean): GuardedAgent => new GuardedAgent({ guard, secure, connectMs });
  return [agent(false), agent(true)];
}
