/** What the members of a group of the identity provider get. */
export interface GroupRule {
  /** Name of the group; `*` for everybody. */
  readonly from: string;
  readonly to:
    | { readonly kind: 'group'; readonly name: 'admin' | 'user' | 'worker' }
    | { readonly kind: 'membership'; readonly slug: string; readonly role: 'maintainer' | 'supervisor' | 'worker' };
}

const GROUP = /^(admin|user|worker)$/;
const MEMBERSHIP = /^([A-Za-z0-9_-]{1,16}):(maintainer|supervisor|worker)$/;

/**
 * Parses `annotation-admins => admin; staff => user; vision => lab:supervisor`. Names of groups can contain anything
 * except `;` and `=>`, as distinguished names do.
 * @returns null if the text has another form
 */
export function parseGroupRules(text: string): readonly GroupRule[] | null {
  const rules = text
    .split(';')
    .map((rule) => rule.trim())
    .filter(Boolean)
    .map(parseRule);
  return rules.every((rule) => rule !== null) ? rules : null;
}

function parseRule(text: string): GroupRule | null {
  const [from = '', to = '', ...more] = text.split('=>').map((part) => part.trim());
  if (from === '' || more.length > 0) return null;
  if (GROUP.test(to)) return { from, to: { kind: 'group', name: to as 'admin' } };
  const [, slug = '', role = ''] = MEMBERSHIP.exec(to) ?? [];
  return slug === '' ? null : { from, to: { kind: 'membership', slug, role: role as 'worker' } };
}
