import { type Sql } from '../../src/engines/sql/sql.js';
import {
  type Actor,
  contextOrganization,
  type OrganizationContext,
  type OrganizationFacts,
  type Privilege,
  type Role,
} from '../../src/shared/policy/actor.js';

/** The relation of one person to an object and to its organization. */
export interface Situation {
  readonly actor: Actor;
  /** One of the names given to `situations`, or `stranger`. */
  readonly relation: string;
  /** Null if the object belongs to no organization. */
  readonly organization: OrganizationFacts | null;
}

/** The id of the actor, and an id that no account has. */
export const ME = 1;
export const OTHER = 2;

const PRIVILEGES: readonly Privilege[] = ['admin', 'user', 'worker', 'none'];
const ROLES: readonly Role[] = ['owner', 'maintainer', 'supervisor', 'worker'];

const PLACES: readonly (OrganizationFacts | null)[] = [
  null,
  { id: 5, ownerId: OTHER, role: null },
  { id: 5, ownerId: ME, role: 'owner' },
  { id: 5, ownerId: OTHER, role: 'owner' }, // an organization that was transferred to another account
  ...(['maintainer', 'supervisor', 'worker'] as const).map((role) => ({ id: 5, ownerId: OTHER, role })),
];

/**
 * Organization contexts of requests other than the object's organization: none, explicitly none, and one that the actor
 * owns.
 */
const ELSEWHERE: readonly OrganizationContext[] = [
  { kind: 'any' },
  { kind: 'sandbox' },
  { kind: 'organization', slug: 'mine', id: 6, ownerId: ME, role: 'owner' },
];

/** An actor. @param organization the one that the request names */
export function actorWith(privilege: Privilege, organization: OrganizationFacts | null = null): Actor {
  return {
    id: ME,
    username: 'me',
    firstName: '',
    lastName: '',
    email: '',
    groups: privilege === 'none' ? [] : [privilege],
    privilege,
    isStaff: false,
    isSuperuser: false,
    context: organization === null ? { kind: 'any' } : { kind: 'organization', slug: 'o', ...organization },
    baseUrl: '',
  };
}

/** All combinations of privilege, organization, relation and organization context. */
export const situations = (relations: readonly string[], deciding: Deciding): Situation[] =>
  PRIVILEGES.flatMap((privilege) =>
    PLACES.flatMap((organization) =>
      actorsIn(actorWith(privilege, organization), deciding).flatMap((actor) =>
        ['stranger', ...relations].map((relation) => ({ actor, relation, organization })),
      ),
    ),
  );

const actorsIn = (actor: Actor, deciding: Deciding): Actor[] => [
  actor,
  ...(deciding === 'no object' ? [] : ELSEWHERE.map((context) => ({ ...actor, context }))),
];

/**
 * Which organization a row depends on: that of the object, whatever the request names; the one that the request names,
 * which must be that of the object; or, if there is no object, the one that the request names.
 */
export type Deciding = 'object' | 'request' | 'no object';

/** Names that cells use for sets of relations: `task staff` and the like. */
export type RelationSets = Readonly<Record<string, readonly string[]>>;

/** A row of the permission table: what must hold outside and within an organization. */
export interface Row {
  readonly sandbox: string;
  readonly organization: string;
}

/** Whether a row allows a situation. Administrators may do everything. */
export function allowed(row: Row, asked: Situation, sets: RelationSets, deciding: Deciding): boolean {
  if (asked.actor.privilege === 'admin') return true;
  const named = contextOrganization(asked.actor);
  if (deciding === 'request' && named !== null && named.id !== asked.organization?.id) return false;
  const situation = deciding === 'request' ? { ...asked, organization: named } : asked;
  const cell = situation.organization === null ? row.sandbox : row.organization;
  return cell
    .split(' / ')
    .some((alternative) => alternative.split(' & ').every((term) => holds(term.trim(), situation, sets)));
}

function holds(term: string, { actor, relation, organization }: Situation, sets: RelationSets): boolean {
  const role = organization?.role ?? null;
  if (term === 'any') return true;
  if (term === '–') return false;
  if (term.startsWith('G≥'))
    return PRIVILEGES.indexOf(actor.privilege) <= PRIVILEGES.indexOf(term.slice(2) as Privilege);
  if (term.startsWith('G=')) return actor.privilege === term.slice(2);
  if (term.startsWith('R≥')) return role !== null && ROLES.indexOf(role) <= ROLES.indexOf(term.slice(2) as Role);
  if (term === 'member') return role !== null;
  if (term === 'not a member') return role === null;
  if (term === 'org owner') return role === 'owner' && organization?.ownerId === actor.id;
  if (term === 'org staff') return role === 'maintainer' || (role === 'owner' && organization?.ownerId === actor.id);
  const set = sets[term];
  if (set === undefined) throw new Error(`nothing is called "${term}"`);
  return set.includes(relation);
}

/** Situations that a policy and its row decide differently, in readable form. Empty if they agree. */
export function differences(
  row: Row,
  relations: readonly string[],
  sets: RelationSets,
  decide: (situation: Situation) => boolean,
  deciding: Deciding = 'object',
): string[] {
  return situations(relations, deciding)
    .filter((situation) => decide(situation) !== allowed(row, situation, sets, deciding))
    .map(({ actor, relation, organization }) => {
      const place =
        organization === null ? 'no organization' : `${organization.role ?? 'outsider'} of ${organization.ownerId}`;
      return `${actor.privilege}, ${relation}, ${place}, naming ${JSON.stringify(actor.context)}`;
    });
}

/**
 * The columns whose person can see a row, or `all`.
 * @param within the organization of the context, to which the condition may restrict itself
 */
export function seenBy(condition: Sql, within?: number): string[] | 'all' {
  const { text, values } = condition.compile();
  if (text === 'true') return 'all';
  const compared = [...text.matchAll(/(?:seen_)?([a-z_]+\.([a-z_]+)) = \$(\d+)/g)];
  if (compared.length < values.length) throw new Error(`an unknown value in ${text}`);
  return compared.flatMap(([, column = '', name, number]) => {
    const [allowed, found] = name === 'organization_id' ? [within, []] : [ME, [column]];
    if (values[Number(number) - 1] !== allowed) throw new Error(`somebody else in ${text}`);
    return found;
  });
}
