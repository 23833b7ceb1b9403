import { describe, expect, it } from '@jest/globals';
import { type EventMessage, EventReporter } from './event-reporter';

const JOB = { id: 3, task_id: 2, project_id: 1 };

function setUp() {
  let time = Date.parse('2026-11-25T12:00:00Z');
  const messages: EventMessage[] = [];
  const server = { accepts: true };
  const send = (message: EventMessage): Promise<boolean> => {
    messages.push(message);
    return Promise.resolve(server.accepts);
  };
  const reporter = new EventReporter(JOB, send, () => time);
  const wait = (milliseconds: number): void => void (time += milliseconds);
  const scopes = (): string[][] => messages.map(({ events }) => events.map(({ scope }) => scope));
  return { reporter, messages, server, wait, scopes };
}

describe('EventReporter', () => {
  it('names the job, and continues after the last message', async () => {
    const { reporter, messages, wait } = setUp();
    reporter.report('load:job', { duration: 500 });
    await reporter.flush();
    wait(2000);
    reporter.operation('Draw rectangle', 1);
    await reporter.flush();
    const loaded = { scope: 'load:job', timestamp: '2026-11-25T11:59:59.500Z', duration: 500, job_id: 3, task_id: 2, project_id: 1 }; // prettier-ignore
    expect(messages).toEqual([
      { events: [loaded], previous_event: null, timestamp: '2026-11-25T12:00:00.000Z' },
      {
        events: [expect.objectContaining({ scope: 'draw:object', obj_name: 'rectangle', count: 1 })],
        previous_event: loaded,
        timestamp: '2026-11-25T12:00:02.000Z',
      },
    ]);
  });

  it('sends a message that failed again', async () => {
    const { reporter, server, scopes } = setUp();
    server.accepts = false;
    reporter.report('load:job');
    await reporter.flush();
    reporter.operation('Delete', 2);
    server.accepts = true;
    await reporter.flush();
    await reporter.flush();
    expect(scopes()).toEqual([['load:job'], ['load:job', 'delete:object']]);
  });

  it('joins quick changes of the frame until something else happens', async () => {
    const { reporter, messages, wait } = setUp();
    reporter.showFrame(0);
    for (const frame of [1, 2, 3]) {
      wait(200);
      reporter.showFrame(frame);
    }
    reporter.showFrame(3);
    reporter.report('zoom:image');
    wait(100);
    reporter.showFrame(4);
    wait(5000);
    reporter.showFrame(5);
    await reporter.flush();
    expect(messages[0]?.events.map(({ scope, duration, payload }) => [scope, duration, payload])).toEqual([
      ['change:frame', 400, '{"from":0,"to":3,"count":3}'],
      ['zoom:image', 0, undefined],
      ['change:frame', 0, '{"from":3,"to":4,"count":1}'],
      ['change:frame', 0, '{"from":4,"to":5,"count":1}'],
    ]);
  });

  it('reports other activity only now and then, and knows the steps of the history', async () => {
    const { reporter, scopes, wait } = setUp();
    reporter.operation('Change label', 1);
    for (let at = 0; at < 50; at += 1) {
      wait(1000);
      reporter.activity(20_000);
    }
    for (const title of ['Move mask', 'Merge', 'Split track', 'Propagate objects', 'Paste 3 objects'])
      reporter.operation(title, 1);
    await reporter.flush();
    const [events = []] = scopes();
    expect(events.filter((scope) => scope === 'user:activity')).toHaveLength(3);
    expect(events.slice(3)).toEqual([
      'drag:object',
      'merge:objects',
      'split:objects',
      'propagate:object',
      'paste:object',
    ]);
  });

  it('sends long lists in parts, and keeps a bounded number', async () => {
    const { reporter, messages } = setUp();
    for (let at = 0; at < 2100; at += 1) reporter.report('click:element');
    await reporter.flush();
    expect(messages.map(({ events }) => events.length)).toEqual([...Array<number>(13).fill(150), 50]);
  });
});
