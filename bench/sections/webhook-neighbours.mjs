// A hundred webhooks subscribe to every change, and 60 receivers are bad. How much does that delay the other 40?

import { createServer } from 'node:net';
import { delays, inWords, withHooks } from '../hooked.mjs';
import { line, median, percentile } from '../measure.mjs';

const GOOD = 40;
const HANGING = 30;
const FAILING = 20;
const REFUSING = 10;
const RATE = 10;

/** @param {import('../bench.mjs').Run} run */
export function webhookNeighbours({ cli, plan, say }) {
  return withHooks({ cli }, async (hooked) => {
    const { subscribe, receiverUrl } = hooked;
    const many = async (count, target) => {
      for (let number = 0; number < count; number += 1) await subscribe(target);
    };
    await many(GOOD);
    const measured = () => delays(hooked, { rate: RATE, seconds: plan.neighbourSeconds, each: GOOD });
    const alone = await measured();
    say(`${GOOD} good webhooks: ${inWords(alone)}`);
    await many(HANGING, `${receiverUrl}/hang`);
    await many(FAILING, `${receiverUrl}/fail`);
    await many(REFUSING, await refusingUrl());
    const withBad = await measured();
    say(`next to ${HANGING + FAILING + REFUSING} bad ones: ${inWords(withBad)}`);
    const bad = `${HANGING} that hang, ${FAILING} that fail, ${REFUSING} that refuse`;
    return [
      line({
        name: `${GOOD} webhooks, ${RATE} events/s: 99 % arrive within`,
        unit: 'ms',
        cairn: [percentile(alone, 0.99)],
      }),
      line({ name: `… next to ${bad}`, unit: 'ms', cairn: [percentile(withBad, 0.99)], goal: 250 }),
      line({ name: '… median', unit: 'ms', cairn: [median(withBad)] }),
    ];
  });
}

/** A URL that nothing listens at. */
async function refusingUrl() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return `http://127.0.0.1:${port}/`;
}
