import { expect, it } from '@jest/globals';
import { differences } from '../../../test/support/policy-table.js';
import { mayReadShare } from './share.policy.js';

it('mayReadShare', () => {
  const row = { sandbox: 'G≥user', organization: 'G≥user' };
  expect(differences(row, [], {}, ({ actor }) => mayReadShare(actor))).toEqual([]);
});
