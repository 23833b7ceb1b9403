// How long a start takes, and how much memory an idle server uses.

import { setTimeout as pause } from 'node:timers/promises';
import { line } from '../measure.mjs';
import { sharedMemory } from '../server.mjs';
import { withTestDatabase } from '../workplace.mjs';

const LATER_STARTS = 3;

/** @param {import('../bench.mjs').Run} run */
export function startup({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start }) => {
    let server = await start();
    const first = server.readySeconds;
    const later = [];
    for (let count = 0; count < LATER_STARTS; count += 1) {
      await server.stop();
      server = await start();
      later.push(server.readySeconds);
    }
    await pause(plan.idleSeconds * 1000);
    const memory = await sharedMemory(server.pid);
    say(`first start ${first.toFixed(2)} s, later ones ${later.map((seconds) => seconds.toFixed(2)).join(', ')} s`);
    const lines = [
      line({ name: 'first start until healthy', unit: 's', cairn: [first], goal: 15 }),
      line({ name: 'later start until healthy', unit: 's', cairn: later, goal: 4 }),
    ];
    if (memory !== null) {
      const name = `memory, idle for ${plan.idleSeconds} s`;
      lines.push(line({ name, unit: 'MB', cairn: [memory / 1e6], goal: 250 }));
    }
    return lines;
  });
}
