import { expect, it } from '@jest/globals';
import { ALL_EVENTS, columnsOf, resourceOf } from '../../../src/core/events/event-declaration.js';
import '../../../src/app.module.js';
import { listOfEvents } from '../../../src/modules/webhooks/subscriptions/webhook.controller.js';
import { describeRecorded, recordedJson } from '../../support/recorded-quality.js';

interface Listed {
  readonly response: { readonly body: { readonly events: readonly { readonly key: string }[] } };
}

type Updates = Readonly<Record<string, readonly { readonly changes: object }[]>>;

describeRecorded('webhooks of CVAT 2.73', () => {
  it.each(['all', 'project', 'organization'] as const)('can subscribe to the listed events: %s', (type) => {
    const recorded = recordedJson('cvat-2.73/01_webhook_events.json') as Readonly<Record<string, Listed>>;
    const sorted = (events: readonly { readonly key: string }[] = []) =>
      events.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    expect(sorted(listOfEvents(type).events)).toEqual(sorted(recorded[type]?.response.body.events));
  });

  it('name the columns that updates changed', () => {
    const updates = recordedJson('cvat-2.73/04_webhook_update_changes.json') as Updates;
    for (const [event, payloads] of Object.entries(updates)) {
      expect(ALL_EVENTS).toContain(event);
      const known = Object.values(columnsOf(resourceOf(event)) ?? {});
      expect(known).toEqual(expect.arrayContaining(payloads.flatMap(({ changes }) => Object.keys(changes))));
    }
  });
});
