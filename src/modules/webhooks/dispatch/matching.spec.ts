import { describe, expect, it } from '@jest/globals';
import { subscribersOf, type Subscription } from './matching.js';

const subscription = (id: number, more: Partial<Subscription>): Subscription => ({
  id,
  type: 'project',
  project_id: null,
  organization_id: null,
  organization_exists: true,
  events: ['update:task'],
  api_version: '2.1',
  active_since: '2026-01-01T00:00:00.000000Z',
  ...more,
});
const event = { name: 'update:task', organizationId: 5, projectId: 7, occurredAt: '2026-01-02T00:00:00.000000Z' };
const heardBy = (more: Partial<Subscription>): boolean => subscribersOf(event, [subscription(1, more)]).length === 1;

describe('subscribersOf', () => {
  it('finds webhooks of the organization first, then those of the project', () => {
    const all = [
      subscription(1, { project_id: 7, organization_id: 5 }),
      subscription(2, { type: 'organization', organization_id: 5 }),
      subscription(3, { project_id: 8, organization_id: 5 }),
      subscription(4, { type: 'organization', organization_id: 6 }),
    ];
    expect(subscribersOf(event, all).map((found) => found.id)).toEqual([2, 1]);
  });

  it('ignores other events and unrelated organizations and projects', () => {
    expect(heardBy({ project_id: 7, events: ['create:task'] })).toBe(false);
    const nowhere = { ...event, organizationId: null, projectId: null };
    expect(subscribersOf(nowhere, [subscription(1, { type: 'organization', organization_id: 5 })])).toEqual([]);
    expect(subscribersOf(nowhere, [subscription(1, { project_id: 7 })])).toEqual([]);
  });

  it('ignores events that occurred while the webhook was disabled', () => {
    expect(heardBy({ project_id: 7, active_since: '2026-01-02T00:00:00.000000Z' })).toBe(true);
    expect(heardBy({ project_id: 7, active_since: '2026-01-02T00:00:00.001000Z' })).toBe(false);
  });

  it('delivers the deletion of an organization and nothing after it', () => {
    expect(heardBy({ project_id: 7, organization_id: 5, organization_exists: false })).toBe(true);
    expect(heardBy({ project_id: 7, organization_id: 6, organization_exists: false })).toBe(false);
    expect(heardBy({ project_id: 7, organization_id: 6, organization_exists: true })).toBe(true);
  });
});
