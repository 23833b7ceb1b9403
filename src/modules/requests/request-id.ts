/** The subject of a background request. Its id is derived from it, so repeating an operation gives the same id. */
export interface RequestIdentity {
  readonly action: string;
  readonly target: string;
  readonly targetId?: number;
  /** For operations whose target does not exist yet. */
  readonly id?: string;
  /** Part of the ids of private operations. */
  readonly userId?: number;
  readonly format?: string;
  readonly subresource?: string;
}

/** The id in the API: `action=export&target=task&target_id=5&user_id=1&format=COCO_1~0&subresource=dataset`. */
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

/** Returns whether the id is that of a private operation. */
export const namesUser = (id: string): boolean => /(^|&)user_id=/.test(id);

/** The format of ids in older servers, such as `export:task-5-dataset-in-COCO@1@0-format-by-1`. */
const OLDER_IDS = [
  /^(?<action>create):(?<target>task)-(?<targetId>\d{1,10})$/,
  /^(?<action>import):(?<target>project|task|job)-(?<targetId>\d{1,10})-(?<subresource>annotations|dataset)$/,
  /^(?<action>import):(?<target>project|task)-(?<id>[0-9a-f-]{36})-(?<subresource>backup)$/,
  /^(?<action>export):(?<target>project|task|job)-(?<targetId>\d{1,10})-(?<subresource>annotations|dataset)-in-(?<format>[^&=]{1,100})-format-by-(?<userId>\d{1,10})$/,
  /^(?<action>export):(?<target>project|task)-(?<targetId>\d{1,10})-(?<subresource>backup)-by-(?<userId>\d{1,10})$/,
];

/** Converts an id in the older format to the current one; other texts stay unchanged. */
export function currentRequestId(id: string): string {
  const older = OLDER_IDS.map((pattern) => pattern.exec(id)?.groups).find((groups) => groups !== undefined);
  if (older === undefined) return id;
  const { action = '', target = '', targetId, userId, format, ...others } = older;
  return requestIdOf({
    ...others,
    action,
    target,
    ...(targetId === undefined ? {} : { targetId: Number(targetId) }),
    ...(userId === undefined ? {} : { userId: Number(userId) }),
    ...(format === undefined ? {} : { format: formatOf(format) }),
  });
}

/** In older ids `@` stands for a dot or a space. Format names have a dot only in the version at the end. */
const formatOf = (text: string): string => text.replace(/(\d)@(\d+)$/, '$1.$2').replaceAll('@', ' ');
