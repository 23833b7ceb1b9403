/**
 * Supported versions, oldest first: 2.0 with embedded lists, 2.1 with exactly the keys that CVAT's clients know, and
 * 2.2 with Cairn's own keys as well.
 */
export const API_VERSIONS = ['2.0', '2.1', '2.2'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];

/** The version of handlers' responses. Older versions are derived from it. */
export const LATEST_VERSION: ApiVersion = '2.2';

/** The version for requests that name none: CVAT's clients do not, and some compare whole objects. */
export const DEFAULT_VERSION: ApiVersion = '2.1';

export interface Negotiated {
  readonly version: ApiVersion;
  /** Content type of JSON responses. */
  readonly contentType: string;
}

export type Negotiation = Negotiated | 'unknown version' | 'not acceptable';

const VENDOR = 'application/vnd.cvat+json';
const JSON_TYPE = 'application/json';
const SPECIFICITY: Readonly<Record<string, number>> = { [VENDOR]: 3, [JSON_TYPE]: 2, 'application/*': 1, '*/*': 0 };

interface Range {
  readonly type: string;
  readonly version: string | undefined;
}

/**
 * Selects the API version and the content type from an `Accept` header. The most specific supported range decides. Other
 * parameters, including q values, are ignored.
 */
export function negotiate(accept: string | undefined): Negotiation {
  if (accept === undefined) return { version: DEFAULT_VERSION, contentType: VENDOR };
  const ranges = accept.split(',').map(parseRange);
  const best = ranges
    .filter((range) => Object.hasOwn(SPECIFICITY, range.type))
    .sort((a, b) => (SPECIFICITY[b.type] ?? 0) - (SPECIFICITY[a.type] ?? 0))[0];
  if (best === undefined) return 'not acceptable';
  if (best.type === JSON_TYPE) return { version: DEFAULT_VERSION, contentType: JSON_TYPE };
  if (best.version === undefined) return { version: DEFAULT_VERSION, contentType: VENDOR };
  const version = API_VERSIONS.find((served) => served === best.version);
  if (version === undefined) return 'unknown version';
  return { version, contentType: `${VENDOR}; version=${version}` };
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length);
  return { type, version: version?.replaceAll('"', '') };
}
