import { describe, expect, it } from '@jest/globals';
import { differences, ME, OTHER, type Row, type Situation } from '../../test/support/policy-table.js';
import { type CloudStorageFacts, cloudStoragePolicy, type CloudStorageScope } from './cloudstorage.policy.js';

const facts = ({ relation, organization }: Situation): CloudStorageFacts => ({
  ownerId: relation === 'owner' ? ME : OTHER,
  organization,
});

const CHANGE: Row = { sandbox: 'G≥worker & owner', organization: 'member & G≥worker & owner / G≥user & R≥maintainer' };

const ROWS: Readonly<Record<Exclude<CloudStorageScope, 'list'>, Row>> = {
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
});
