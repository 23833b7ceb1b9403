import { describe, expect, it } from '@jest/globals';
import type { Actor } from '../../shared/policy/actor.js';
import type { Tx } from '../database/tx.js';
import type { Discovery } from '../discovery/discovery.js';
import { Representations } from '../versioning/representations.js';
import { type Created, type EventRecord, NO_SCOPE, type StoredEvent, type Updated } from './event-map.js';
import { Events } from './events.js';
import { OnEvent } from './on-event.js';
import type { OutboxWriter } from './outbox.writer.js';

interface Kite {
  readonly id: number;
  readonly color: string;
}

declare module './event-map.js' {
  interface EventMap {
    'create:kite': Created<Kite>;
    'update:kite': Updated<Kite>;
  }
}

const [red, blue] = [
  { id: 1, color: 'red' },
  { id: 1, color: 'blue' },
];
const actor = { id: 7, username: 'ann', firstName: '', lastName: '', baseUrl: 'http://a' } as Actor;

function setUp(): { events: Events; tx: Tx; held: EventRecord[] } {
  const held: EventRecord[] = [];
  const writer = { held: () => held, add: (_tx: Tx, event: EventRecord) => held.push(event) };
  const representations = new Representations({ methods: () => [] } as unknown as Discovery);
  return { events: new Events(representations, writer as unknown as OutboxWriter), tx: {} as Tx, held };
}

describe('Events', () => {
  it('records events with their scope, by resource and operation', async () => {
    const { events, tx, held } = setUp();
    const scope = { organizationId: 2, projectId: 3 };
    await events.created(tx, actor, 'kite', [
      { object: red, scope },
      { object: blue, scope: NO_SCOPE },
    ]);
    await events.updated(tx, null, 'kite', { before: red, after: blue, scope });
    const sender = { url: 'http://a/api/users/7', id: 7, username: 'ann', first_name: '', last_name: '' };
    expect(held).toEqual([
      { name: 'create:kite', objectId: 1, sender, ...scope, after: { object: red } },
      { name: 'create:kite', objectId: 1, sender, ...NO_SCOPE, after: { object: blue } },
      { name: 'update:kite', objectId: 1, sender: null, ...scope, after: { object: blue }, before: { object: red } },
    ]);
  });

  it('does not compile for other names or objects', () => {
    const { events, tx } = setUp();
    const wrong = [
      // @ts-expect-error: no such resource
      () => events.created(tx, actor, 'kites', { object: red, scope: NO_SCOPE }),
      // @ts-expect-error: no such event of the resource
      () => events.deleted(tx, actor, 'kite', { object: red, scope: NO_SCOPE }),
      // @ts-expect-error: not the object of the event
      () => events.created(tx, actor, 'kite', { object: { id: 1 }, scope: NO_SCOPE }),
      // @ts-expect-error: no scope
      () => events.updated(tx, actor, 'kite', { before: red, after: blue }),
    ];
    class Listener {
      @OnEvent('update:kite')
      onUpdate(event: Updated<Kite>): string {
        return event.before.object.color;
      }

      // @ts-expect-error: no such event
      @OnEvent('update:kites')
      onNothing(event: StoredEvent): string {
        return event.name;
      }

      // @ts-expect-error: creations have no object before
      @OnEvent('create:kite')
      onCreate(event: Updated<Kite>): string {
        return event.before.object.color;
      }
    }
    expect(wrong.length + Object.getOwnPropertyNames(Listener.prototype).length).toBe(8);
  });
});
