import { describe, expect, it } from '@jest/globals';
import { quarantineText } from './events.js';

const EVENT = {
  id: 1,
  listener: 'webhooks',
  event_id: 4711,
  event: 'update:job',
  object_id: '12',
  error: 'Error: first line\nsecond line',
  attempts: 5,
  first_failed_date: '2026-11-26T08:00:00Z',
  last_failed_date: '2026-11-26T09:30:00.123000Z',
  returned_date: null,
};

describe('the list of events in quarantine', () => {
  it('says so if there are none', () => {
    expect(quarantineText([])).toBe('No event is in quarantine.\n');
  });

  it('has an aligned line for each event', () => {
    const retried = { ...EVENT, event_id: 5, returned_date: '2026-11-26T10:00:00Z', error: 'Error: x' };
    expect(quarantineText([EVENT, retried])).toBe(
      [
        'LISTENER  ID    EVENT       OBJECT  ATTEMPTS  LAST FAILED          STATE     ERROR',
        'webhooks  4711  update:job  12      5         2026-11-26 09:30:00  failed    Error: first line second line',
        'webhooks  5     update:job  12      5         2026-11-26 09:30:00  retrying  Error: x',
        '',
      ].join('\n'),
    );
  });

  it('is cut after a thousand events', () => {
    const lines = quarantineText(Array.from({ length: 1001 }, () => EVENT)).split('\n');
    expect([lines.length, lines.at(-2)]).toEqual([1003, '… and more; only the oldest 1000 are shown.']);
  });
});
