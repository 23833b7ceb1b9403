import { describe, expect, it } from '@jest/globals';
import { EVENTS_OF, resourceOf } from './event-catalogue.js';

describe('the catalogue of events', () => {
  it('is sorted and has what each type of webhook hears of', () => {
    expect(EVENTS_OF.organization).toHaveLength(22);
    expect(EVENTS_OF.project).toHaveLength(14);
    for (const events of Object.values(EVENTS_OF)) expect(events).toEqual([...new Set(events)].sort());
    expect(EVENTS_OF.project).toEqual(expect.arrayContaining(['update:project', 'delete:project', 'create:comment']));
    expect(EVENTS_OF.project).not.toContain('create:project');
    expect(EVENTS_OF.organization).not.toContain('update:invitation');
  });

  it('names the object of an event', () => {
    expect(resourceOf('update:task')).toBe('task');
  });
});
