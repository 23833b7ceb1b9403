/** Versions served, oldest first; the last is what a request without a version gets. */
export const API_VERSIONS = ['2.0', '2.1'] as const;
export type ApiVersion = (typeof API_VERSIONS)[number];
export const LATEST_VERSION: ApiVersion = '2.1';

export interface Negotiated {
  readonly version: ApiVersion;
  /** Content type of JSON answers. */
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
 * Chooses the API version and the content type from an `Accept` header. The most specific servable range decides;
 * other parameters, q values included, are ignored.
 */
export function negotiate(accept: string | undefined): Negotiation {
  if (accept === undefined) return { version: LATEST_VERSION, contentType: VENDOR };
  const ranges = accept.split(',').map(parseRange);
  const best = ranges
    .filter((range) => Object.hasOwn(SPECIFICITY, range.type))
    .sort((a, b) => (SPECIFICITY[b.type] ?? 0) - (SPECIFICITY[a.type] ?? 0))[0];
  if (best === undefined) return 'not acceptable';
  if (best.type === JSON_TYPE) return { version: LATEST_VERSION, contentType: JSON_TYPE };
  if (best.version === undefined) return { version: LATEST_VERSION, contentType: VENDOR };
  const version = API_VERSIONS.find((served) => served === best.version);
  if (version === undefined) return 'unknown version';
  return { version, contentType: `${VENDOR}; version=${version}` };
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length);
  return { type, version: version?.replaceAll('"', '') };
}
