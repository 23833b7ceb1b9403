/** What a background request is about; its id is made of it, so the same operation twice has the same id. */
export interface RequestIdentity {
  readonly action: string;
  readonly target: string;
  readonly targetId?: number;
  /** For operations without a target that exists already. */
  readonly id?: string;
  /** Named in the ids of private operations. */
  readonly userId?: number;
  readonly format?: string;
  readonly subresource?: string;
}

/** The id on the wire: `action=export&target=task&target_id=5&user_id=1&format=COCO_1~0&subresource=dataset`. */
export function requestIdOf(identity: RequestIdentity): string {
  const pairs: [string, string | number | undefined][] = [
    ['action', identity.action],
    ['target', identity.target],
    ['target_id', identity.targetId],
    ['id', identity.id],
    ['user_id', identity.userId],
    ['format', identity.format],
    ['subresource', identity.subresource],
  ];
  return pairs
    .filter(([, value]) => value !== undefined && value !== '' && value !== 0)
    .map(([key, value]) => `${key}=${String(value).replaceAll('.', '~').replaceAll(' ', '_')}`)
    .join('&');
}

/** Is it the id of a private operation? */
export const namesUser = (id: string): boolean => /(^|&)user_id=/.test(id);
