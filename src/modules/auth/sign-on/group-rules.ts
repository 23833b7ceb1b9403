import type { Config } from '../../../config/config.js';
import type { GroupRule } from '../../../config/group-mapping.js';

type Role = 'maintainer' | 'supervisor' | 'worker';

/** What the rules decide about one person. */
export interface Entitlements {
  /** Groups of Cairn; null if no rule decides about them. */
  readonly groups: readonly string[] | null;
  /** Role by slug, for all organizations that rules name; null if the person is not a member. */
  readonly roles: ReadonlyMap<string, Role | null>;
}

const BY_RANK: readonly Role[] = ['maintainer', 'supervisor', 'worker'];
const ORDER = ['admin', 'user', 'worker'];

/**
 * Applies the rules to the groups of a person. If several rules for an organization match, the most powerful role counts.
 * Who matches no rule for groups of Cairn, although there are some, is in none.
 */
export function entitlements(rules: readonly GroupRule[], memberOf: readonly string[]): Entitlements {
  const applies = ({ from }: GroupRule): boolean => from === '*' || memberOf.includes(from);
  const roles = new Map<string, Role | null>();
  const groups = new Set<string>();
  for (const rule of rules) {
    if (rule.to.kind === 'group') {
      if (applies(rule)) groups.add(rule.to.name);
      continue;
    }
    const { slug, role } = rule.to;
    const before = roles.get(slug) ?? null;
    roles.set(slug, applies(rule) ? stronger(before, role) : before);
  }
  const decides = rules.some(({ to }) => to.kind === 'group');
  return { groups: decides ? ORDER.filter((name) => groups.has(name)) : null, roles };
}

/** The rules that logins apply, by setting. */
function usedRules({ signOn, ldap }: Config): { readonly setting: string; readonly rules: readonly GroupRule[] }[] {
  return [
    ...(signOn.issuer === '' ? [] : [{ setting: 'OIDC_GROUPS', rules: signOn.groupRules }]),
    ...(ldap.urls.length === 0 ? [] : [{ setting: 'LDAP_GROUPS', rules: ldap.groupRules }]),
  ];
}

/**
 * The organizations that the rules of each setting name and that do not exist, as slugs. Settings that name none are left out.
 * @param find returns those of the slugs that exist
 */
export async function unknownOrganizations(
  config: Config,
  find: (slugs: readonly string[]) => Promise<readonly { readonly slug: string }[]>,
): Promise<{ readonly setting: string; readonly unknown: readonly string[] }[]> {
  const found = [];
  for (const { setting, rules } of usedRules(config)) {
    const named = organizationsIn(rules);
    if (named.length === 0) continue;
    const existing = await find(named);
    found.push({ setting, unknown: named.filter((slug) => !existing.some((row) => row.slug === slug)) });
  }
  return found;
}

/** Slugs of the organizations that rules name, each once. */
const organizationsIn = (rules: readonly GroupRule[]): string[] => [
  ...new Set(rules.flatMap(({ to }) => (to.kind === 'membership' ? [to.slug] : []))),
];

const stronger = (before: Role | null, role: Role): Role =>
  before !== null && BY_RANK.indexOf(before) < BY_RANK.indexOf(role) ? before : role;

/**
 * The groups in the claims of a person. `name` is a claim, or the path to one, such as `realm_access.roles`.
 * @returns an empty list if the claim is missing or not a list of texts
 */
export function groupsIn(claims: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(memberOf, claims);
  const list = typeof value === 'string' ? [value] : value;
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
