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
import { type WebhookFacts, webhookPolicy, type WebhookScope } from './webhook.policy.js';

const RELATIONS = ['webhook owner', 'project owner'];
const SETS = { related: RELATIONS, 'project owner': ['project owner'] };

const CHANGE: Row = {
  sandbox: 'G≥worker & related',
  organization: 'G≥worker & R≥maintainer / G≥worker & member & related',
};

const ROWS: Readonly<Record<WebhookScope, Row>> = {
  list: { sandbox: 'any', organization: 'member' },
  create: { sandbox: '–', organization: '–' },
  'create@project': {
    sandbox: 'G≥user & project owner',
    organization: 'G≥worker & R≥maintainer / G≥worker & member & project owner',
  },
  'create@organization': { sandbox: '–', organization: 'G≥worker & R≥maintainer' },
  view: { sandbox: 'related', organization: 'G≥worker & R≥maintainer / member & related' },
  update: CHANGE,
  delete: CHANGE,
  ping: CHANGE,
  redelivery: CHANGE,
};

const facts = (scope: string, { relation, organization }: Situation): WebhookFacts => ({
  ownerId: scope.startsWith('create') ? null : relation === 'webhook owner' ? ME : OTHER,
  projectOwnerId: relation === 'project owner' ? ME : null,
  organization,
});

describe('webhookPolicy', () => {
  it.each(Object.entries(ROWS))('%s', (scope, row) => {
    const decide = (situation: Situation): boolean =>
      webhookPolicy.allow(scope as WebhookScope, situation.actor, facts(scope, situation));
    expect(differences(row, RELATIONS, SETS, decide)).toEqual([]);
  });

  it('lists related webhooks, and to maintainers every webhook of their organization', () => {
    const maintained = { id: 5, ownerId: OTHER, role: 'maintainer' } as const;
    expect(seenBy(webhookPolicy.visible(actorWith('admin')))).toBe('all');
    expect(seenBy(webhookPolicy.visible(actorWith('worker', maintained)))).toBe('all');
    for (const actor of [
      actorWith('user'),
      actorWith('none', maintained),
      actorWith('user', { ...maintained, role: 'supervisor' }),
    ])
      expect(seenBy(webhookPolicy.visible(actor))).toEqual(['webhook.owner_id', 'project.owner_id']);
  });
});
