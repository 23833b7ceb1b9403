import type { OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { AddressGuard } from '../../engines/sender/address-guard.js';
import { GuardedAgent } from '../../engines/sender/guarded-agent.js';

/** Connections to other servers on behalf of users: to public addresses, and to those that REMOTE_ALLOW lists. */
@Injectable()
export class RemoteAgents implements OnApplicationShutdown {
  readonly http: GuardedAgent;
  readonly https: GuardedAgent;

  constructor(@Inject(CONFIG) { remote }: Config) {
    const { allow, allowPrivate, timeoutMs: connectMs } = remote;
    const guard = new AddressGuard({ allow, allowPrivate, setting: 'REMOTE_ALLOW' });
    this.http = new GuardedAgent({ guard, secure: false, connectMs });
    this.https = new GuardedAgent({ guard, secure: true, connectMs });
  }

  onApplicationShutdown(): void {
    this.http.destroy();
    this.https.destroy();
  }
}
