import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Throttle } from '../../core/access/throttle.js';
import { Clock } from '../../core/clock.js';
import { Throttled } from '../../core/http/errors.js';

const WINDOW_MS = 5 * 60_000;
/** Many people may share an address (an office, a proxy), so it is given more failures than one name. */
const ADDRESS_FACTOR = 10;

/** Slows down guessing: failed log-ins are counted per name and per address; successful ones are not. */
@Injectable()
export class LoginAttempts {
  private readonly names: Throttle;
  private readonly addresses: Throttle;

  constructor(@Inject(CONFIG) config: Config, @Inject(Clock) clock: Clock) {
    const now = (): number => clock.now().getTime();
    this.names = new Throttle(config.limits.loginFailures, WINDOW_MS, now);
    this.addresses = new Throttle(config.limits.loginFailures * ADDRESS_FACTOR, WINDOW_MS, now);
  }

  /** @throws Throttled when there were too many failures */
  check(name: string, address: string): void {
    const seconds = Math.max(this.names.blocked(normal(name)), this.addresses.blocked(address));
    if (seconds > 0) throw new Throttled(seconds);
  }

  failed(name: string, address: string): void {
    this.names.hit(normal(name));
    this.addresses.hit(address);
  }
}

/** Long names are cut: they are kept in memory for a while. */
const normal = (name: string): string => name.toLowerCase().slice(0, 254);
