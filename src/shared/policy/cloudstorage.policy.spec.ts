import { describe, expect, it } from '@jest/globals';
import {
  actorWith,
  differences,
  ME,
  OTHER,
  type Row,
  seenBy,
  type Situation,
} from '../../../test/support/policy-table.js';
import { type CloudStorageFacts, cloudStoragePolicy, type CloudStorageScope } from './cloudstorage.policy.js';

const facts = ({ relation, organization }: Situation): CloudStorageFacts => ({
  ownerId: relation === 'owner' ? ME : OTHER,
  organization,
});

const CHANGE: Row = { sandbox: 'G≥worker & owner', organization: 'member & G≥worker & owner / G≥user & R≥maintainer' };

const ROWS: Readonly<Record<CloudStorageScope, Row>> = {
  list: { sandbox: 'any', organization: 'member' },
  create: { sandbox: 'G≥user', organization: 'G≥user & R≥maintainer' },
  view: { sandbox: 'owner', organization: 'member & owner / G≥user & R≥supervisor' },
  update: CHANGE,
  delete: CHANGE,
};

describe('cloudStoragePolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      cloudStoragePolicy.allow(scope as CloudStorageScope, situation.actor, facts(situation));
    expect(differences(row, ['owner'], { owner: ['owner'] }, decide)).toEqual([]);
  });

  const organization = { id: 5, ownerId: OTHER } as const;
  it.each([
    [actorWith('admin'), 'all'],
    [actorWith('user'), ['cloud_storage.owner_id']],
    [actorWith('user', { ...organization, role: 'supervisor' }), 'all'],
    [actorWith('worker', { ...organization, role: 'maintainer' }), ['cloud_storage.owner_id']],
    [actorWith('user', { ...organization, role: 'worker' }), ['cloud_storage.owner_id']],
  ])('lists what is visible (%#)', (actor, columns) => {
    expect(seenBy(cloudStoragePolicy.visible(actor))).toEqual(columns);
  });
});
