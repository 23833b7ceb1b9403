import { describe, expect, it } from '@jest/globals';
import type { Discovery } from '../discovery/discovery.js';
import type { StoredEvent } from './event-map.js';
import '../../modules/projects/project.events.js';
import '../../modules/tasks/task.events.js';
import { type Representation, Representations, type Snapshot } from '../versioning/representations.js';
import { eventPayload, headInForm, headOf, inForm } from './payload.js';
import { headIn, textFor } from '../../modules/webhooks/dispatch/payload-text.js';

const task: Representation = {
  resource: 'task',
  older: {
    '2.0': ({ jobs: _newer, ...task }, extras) => ({ ...task, labels: extras['labels'] ?? [], segments: extras['segments'] ?? [] }), // prettier-ignore
  },
};
const project: Representation = { resource: 'project', older: { '2.0': { embedded: 'labels' } } };
const discovery = { methods: () => [{ data: undefined, found: () => [task, project] }] };
const representations = new Representations(discovery as unknown as Discovery);

const person = { url: 'u', id: 1, username: 'a', first_name: '', last_name: '' };
const event = (name: string, after: Snapshot, before?: Snapshot): StoredEvent => ({
  id: 1,
  name,
  objectId: 5,
  sender: person,
  organizationId: null,
  projectId: 1,
  occurredAt: '2026-01-01T00:00:00Z',
  after,
  ...(before === undefined ? {} : { before }),
});

/** The payload for webhook 9. */
function payload(of: StoredEvent, version: '2.0' | '2.1' = '2.1'): Record<string, unknown> {
  const { payload: told } = eventPayload(of, version, representations);
  const text = textFor(9, headOf(told));
  expect(headIn(9, text)).toBe(headOf(told));
  return JSON.parse(text) as Record<string, unknown>;
}

const old = { id: 5, name: 'old', assignee: null, jobs: { count: 0 }, labels: { url: 'x' } };

describe('eventPayload', () => {
  it('is the same text from a written event as from one read back', () => {
    const person2 = { ...person, username: 'ä"\\\u2028\ud800' };
    const objects: Record<string, unknown>[] = [
      old,
      { ...old, name: 'new "}],' },
      { ...old, assignee: person2, jobs: { count: 1 } },
      { ...old, labels: { url: 'y' }, jobs: { count: 0 } },
      { ...old, size: 1.5e-7 },
      { name: 'another order', id: 5 },
    ];
    for (const after of objects) {
      for (const before of [undefined, ...objects]) {
        for (const [resource, extras] of [
          ['task', {}],
          ['task', { extras: { labels: [1] } }],
          ['project', {}],
          ['project', { extras: {} }],
          ['project', { extras: { other: '"labels":2', labels: [{ name: '}' }] } }],
        ] as const) {
          const name = before === undefined ? `create:${resource}` : `update:${resource}`;
          const read = event(name, { object: after, ...extras }, before === undefined ? before : { object: before });
          const json = { after: JSON.stringify(read.after), before: read.before ? JSON.stringify(read.before) : null };
          for (const version of ['2.0', '2.1'] as const) {
            const [made, spliced] = [read, { ...read, json }].map((one) => eventPayload(one, version, representations));
            for (const form of ['full', 'thin'] as const)
              expect(spliced && headInForm(spliced, form)).toBe(made && headOf(inForm(made, form)));
            expect(spliced?.payload).toEqual(made?.payload);
            expect(spliced?.changedFields).toEqual(made?.changedFields);
          }
        }
      }
    }
  });

  it('has its keys in the order of the contract', () => {
    expect(Object.entries(payload(event('create:task', { object: old })))).toEqual([
      ['event', 'create:task'],
      ['task', old],
      ['sender', person],
      ['webhook_id', 9],
    ]);
    const changed = event('update:task', { object: { ...old, name: 'new' } }, { object: old });
    const keys = ['event', 'task', 'sender', 'before_update'];
    expect(Object.keys(payload(changed))).toEqual([...keys, 'changes', 'webhook_id']);
    expect(Object.keys(payload(changed, '2.0'))).toEqual([...keys, 'webhook_id']);
    expect(eventPayload(changed, '2.1', representations).changedFields).toEqual(['name']);
  });

  it('contains the previous values of changes: nested objects whole, missing ones as null, labels never', () => {
    const after = { ...old, name: 'new', assignee: person, labels: { url: 'y' }, size: 3 };
    const back = { ...old, assignee: { ...person, id: 2 } };
    expect(payload(event('update:task', { object: after }, { object: back }), '2.0')['before_update']).toEqual({
      name: 'old',
      assignee: { ...person, id: 2 },
      size: null,
    });
  });

  it('names columns since version 2.1, and leaves out what has none', () => {
    const after = { object: { ...old, name: 'new', assignee: person, jobs: { count: 1 }, size: 3 } };
    const told = payload(event('update:task', after, { object: old }));
    expect(told['before_update']).toEqual({ name: 'old', assignee_id: null });
    expect(told['changes']).toEqual({ name: { from: 'old', to: 'new' }, assignee_id: { from: null, to: 1 } });
  });

  it('has no before_update when nothing differs', () => {
    const same = event('update:task', { object: { ...old } }, { object: { ...old, labels: { url: 'z' } } });
    expect(payload(same)).not.toHaveProperty('before_update');
  });

  it('compares the representations of the requested version', () => {
    const after = { object: { ...old, jobs: { count: 1 } }, extras: { labels: [1], segments: [2] } };
    expect(payload(event('update:task', after, { object: old }))).not.toHaveProperty('before_update');
    expect(payload(event('update:task', after, { object: old }), '2.0')).not.toHaveProperty('before_update');
    const known = event('update:task', after, { object: old, extras: { labels: [], segments: [] } });
    expect(payload(known, '2.0')['before_update']).toEqual({ segments: [] });
    expect(payload(known, '2.0')['task']).toEqual({ id: 5, name: 'old', assignee: null, labels: [1], segments: [2] });
  });

  it('is thin on request', () => {
    const changed = event('update:task', { object: { ...old, name: 'new', url: 'http://x/5' } }, { object: old });
    expect(Object.entries(inForm(eventPayload(changed, '2.1', representations), 'thin'))).toEqual([
      ['event', 'update:task'],
      ['task', { id: 5, url: 'http://x/5' }],
      ['sender', person],
      ['changed_fields', ['name']],
    ]);
    const made = inForm(eventPayload(event('create:task', { object: old }), '2.1', representations), 'thin');
    expect(made).toEqual({ event: 'create:task', task: { id: 5 }, sender: person });
  });
});
