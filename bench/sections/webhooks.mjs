// Deliveries of recorded changes to a local receiver, beside a loop that just posts the same bytes.

import { logIn } from '../api.mjs';
import { startProgram } from '../child.mjs';
import { line, median } from '../measure.mjs';
import { seed } from '../seed.mjs';
import { withWorkplace } from '../workplace.mjs';

const SECRET = 'secret of the benchmark';
const CONNECTIONS = 16;
const TIMEOUT_MS = 120_000;
/** One job per task: a change locks the job's task, and changes should not wait for each other. */
const SIZES = { tasks: 64, jobsPerTask: 1 };
const BARE_WARM_UP = 2_000;

/** @param {import('../bench.mjs').Run} run */
export async function webhooks({ cli, plan, say }) {
  const programs = {
    client: startProgram('client'),
    receiver: startProgram('receiver'),
    bare: startProgram('bare-posts'),
  };
  try {
    return await withWorkplace(cli, (place) => measure(place, programs, plan.deliveries, say));
  } finally {
    for (const program of Object.values(programs)) await program.stop();
  }
}

async function measure({ start, database }, { client, receiver, bare }, count, say) {
  const url = `${await receiver.call('start')}/cairn`;
  const whole = await start();
  const api = await logIn(whole.url);
  if (!(await api.serves('/api/webhooks'))) {
    say('this server does not have webhooks');
    return [];
  }
  const { webhook, jobs } = await subscribe(api, database, url);
  const change = (base) =>
    client.call('run', { base, headers: api.headers, requests: changesOf(jobs), connections: CONNECTIONS, count });
  const arrivals = () => receiver.call('wait', { count, timeoutMs: TIMEOUT_MS });

  await receiver.call('reset');
  const changing = change(whole.url);
  const { last, sample } = await arrivals();
  const live = count / ((last - (await changing).firstAnswer) / 1000);
  say(`${count} deliveries while the changes are made: ${Math.round(live)}/s`);
  await whole.stop();

  const postAlone = async (posts) => {
    await receiver.call('reset');
    await bare.call('run', { url, body: sample.body, secret: SECRET, count: posts });
    const { first, last: end } = await receiver.call('wait', { count: posts, timeoutMs: TIMEOUT_MS });
    return (posts - 1) / ((end - first) / 1000);
  };
  await postAlone(BARE_WARM_UP);
  const alone = [await postAlone(count)];

  const accepting = await start(['serve', '--no-worker']);
  await change(accepting.url);
  await receiver.call('reset');
  const worker = await start(['worker']);
  const drained = await arrivals();
  const backlog = (count - 1) / ((drained.last - drained.first) / 1000);
  say(`${count} deliveries of a backlog: ${Math.round(backlog)}/s`);
  const remark = await recorded(accepting.url, webhook, 2 * count);
  await worker.stop();
  alone.push(await postAlone(count));

  const unit = 'deliveries/s';
  const name = `${count} deliveries`;
  return [
    line({ name: `${name} while ${count} jobs are changed`, unit, cairn: [live], bare: [median(alone)] }),
    line({ name: `${name} of a committed backlog`, unit, cairn: [backlog], bare: alone, goal: 0.08, remark }),
  ];
}

/** A project with jobs, and a webhook that hears of every change of them. */
async function subscribe(api, database, url) {
  const guest = await database();
  const { project, jobs } = await seed(api, guest.url, SIZES);
  await guest.stop();
  const webhook = await api.post('/api/webhooks', {
    target_url: url,
    type: 'project',
    project_id: project,
    secret: SECRET,
    events: ['update:job'],
  });
  return { webhook: webhook.id, jobs };
}

/** Every request changes a job. */
const changesOf = (jobs) =>
  ['in progress', 'new'].flatMap((state) =>
    jobs.map((id) => ({ method: 'PATCH', path: `/api/jobs/${id}`, body: JSON.stringify({ state }) })),
  );

/** @returns a remark when not every delivery is in the webhook's list */
async function recorded(url, webhook, expected) {
  const api = await logIn(url);
  const { count } = await api.get(`/api/webhooks/${webhook}/deliveries?page_size=1`);
  return count === expected ? '' : `${count} deliveries are recorded, not ${expected}`;
}
