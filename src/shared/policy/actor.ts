/** The strongest of a user's groups. */
export type Privilege = 'admin' | 'user' | 'worker' | 'none';

export type Role = 'owner' | 'maintainer' | 'supervisor' | 'worker';

/** An organization as the policy sees it, with the actor's active role in it. */
export interface OrganizationFacts {
  readonly id: number;
  readonly ownerId: number | null;
  readonly role: Role | null;
}

/** The organization context of a request: unspecified, explicitly none (`org=`), or one organization. */
export type OrganizationContext =
  | { readonly kind: 'any' }
  | { readonly kind: 'sandbox' }
  | ({ readonly kind: 'organization'; readonly slug: string } & OrganizationFacts);

/** The request in which somebody acts: from where, and with which credential. It contains no secrets. */
export interface RequestOrigin {
  /** `X-Request-Id`. */
  readonly requestId: string | null;
  readonly userAgent: string | null;
  readonly address: string | null;
  /** How the request was authenticated: `session`, `token`, `bearer`, … */
  readonly credential: string | null;
  /** The access token, if one was used. */
  readonly tokenId: number | null;
  readonly tokenName: string | null;
}

/** Whoever makes a request. */
export interface Actor {
  readonly id: number;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly groups: readonly string[];
  readonly privilege: Privilege;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
  readonly context: OrganizationContext;
  /** Scheme and host under which the actor reached the server; URLs in responses and events start with it. */
  readonly baseUrl: string;
  /** Set when the server works on the user's behalf after it has responded to the request. */
  readonly inBackground?: true;
  /** In the background: the request that asked for the work. */
  readonly origin?: RequestOrigin | null;
}

const PRIVILEGE_RANK: Readonly<Record<Privilege, number>> = { admin: 0, user: 75, worker: 100, none: 1000 };
const ROLE_RANK: Readonly<Record<Role, number>> = { owner: 0, maintainer: 50, supervisor: 75, worker: 100 };

/** The strongest known group of the list. */
export function privilegeOf(groups: readonly string[]): Privilege {
  if (groups.includes('admin')) return 'admin';
  if (groups.includes('user')) return 'user';
  return groups.includes('worker') ? 'worker' : 'none';
}

export const isAdmin = (actor: Actor): boolean => actor.privilege === 'admin';

/** G≥x of the contract: the actor's group is at least `privilege`. */
export const hasPrivilege = (actor: Actor, privilege: Privilege): boolean =>
  PRIVILEGE_RANK[actor.privilege] <= PRIVILEGE_RANK[privilege];

/** R≥x of the contract: an active member whose role is at least `role`. */
export const hasRole = (organization: OrganizationFacts | null, role: Role): boolean =>
  organization?.role != null && ROLE_RANK[organization.role] <= ROLE_RANK[role];

/** The organization that the request names, if any, for rules about lists and creations. */
export const contextOrganization = (actor: Actor): OrganizationFacts | null =>
  actor.context.kind === 'organization' ? actor.context : null;
