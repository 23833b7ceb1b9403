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
import { type RequestFacts, requestPolicy, type RequestScope } from './request.policy.js';

const RELATIONS = ['owner', 'viewer of the target'];
const SETS = { owner: ['owner'], 'may view': RELATIONS };

const facts = ({ relation }: Situation, isPrivate: boolean): RequestFacts => ({
  ownerId: relation === 'owner' ? ME : OTHER,
  isPrivate,
  seesTarget: relation === 'viewer of the target',
});

/** The same in every organization. */
const everywhere = (cell: string): Row => ({ sandbox: cell, organization: cell });

const ROWS: Readonly<Record<RequestScope, Row>> = { view: everywhere('may view'), cancel: everywhere('owner') };

describe('requestPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      requestPolicy.allow(scope as RequestScope, situation.actor, facts(situation, false));
    expect(differences(row, RELATIONS, SETS, decide)).toEqual([]);
  });

  it.each(Object.keys(ROWS))('%s of a private request, also by administrators', (scope) => {
    const may = (relation: string): boolean[] =>
      (['admin', 'user', 'none'] as const).map((privilege) => {
        const actor = actorWith(privilege);
        return requestPolicy.allow(scope as RequestScope, actor, facts({ actor, relation, organization: null }, true));
      });
    expect(may('owner')).toEqual([true, true, true]);
    expect(may('viewer of the target')).toEqual([false, false, false]);
  });

  it("lists the actor's own requests, also to administrators", () => {
    for (const privilege of ['admin', 'none'] as const)
      expect(seenBy(requestPolicy.visible(actorWith(privilege)))).toEqual(['background_request.owner_id']);
  });
});
