// A listener that fails at some events: what it has handled, what is in quarantine, and what happens after a retry.
import { setTimeout as pause } from 'node:timers/promises';
import { isRefused, LISTENER } from './failing-extension.mjs';
import { disorderOf } from './verdict.mjs';

/**
 * Waits until the listener has handled everything, then retries what is in quarantine.
 *
 * @param {{url: string, command: (args: string[]) => void}} server
 * @param {object} headers of an administrator
 * @param {ReadonlyMap<string, number>} tasks ids of all tasks, by name
 * @param {ReadonlySet<string>} unanswered names whose order is not known
 * @param {number} limitMs for each of the two
 */
export async function aboutListener(server, headers, tasks, unanswered, limitMs) {
  const get = async (path) => {
    const answer = await fetch(server.url + path, { headers });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const state = async () => (await get('/api/events/listeners')).find(({ name }) => name === LISTENER);
  const until = async (isDone) => {
    const deadline = performance.now() + limitMs;
    while (!isDone(await state()) && performance.now() < deadline) await pause(200);
  };
  await until(({ waiting }) => waiting === 0);
  const first = await get('/api/chaos/handled');
  const { results: quarantine } = await get('/api/events/quarantine?page_size=all');
  const nameOf = new Map([...tasks].map(([name, id]) => [String(id), name]));
  const isExpected = ({ listener, object_id: id }) => listener === LISTENER && isRefused(nameOf.get(id) ?? '');

  server.command(['events', 'retry', '--listener', LISTENER]);
  await until(({ quarantined }) => quarantined === 0);
  const all = await get('/api/chaos/handled');
  return {
    handled: first.length,
    quarantined: quarantine.length,
    wrongly: quarantine.filter((event) => !isExpected(event)).length,
    disorder: disorderOf(first, unanswered),
    missing: [...tasks.keys()].filter((name) => !all.includes(name)).length,
    repeated: all.length - new Set(all).size,
  };
}
