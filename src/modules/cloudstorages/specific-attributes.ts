/** What `specific_attributes` may say. */
export interface SpecificAttributes {
  readonly region: string;
  /** Of a server other than the provider's own. */
  readonly endpoint: string | null;
  /** All keys begin with it; empty for none. */
  readonly prefix: string;
}

const KNOWN = ['region', 'endpoint_url', 'prefix'];
const DEFAULT_REGION = 'us-east-1';

/**
 * Reads `a=b&c=d`, values as in addresses (`%3A` is a colon).
 * @returns a sentence where it cannot be read
 */
export function readSpecificAttributes(text: string): SpecificAttributes | string {
  const pairs = text === '' ? [] : text.split('&');
  if (pairs.some((pair) => pair.split('=').length !== 2)) return 'Each attribute has the form name=value.';
  const values = new URLSearchParams(text);
  const unknown = [...values.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return `"${unknown}" is not known here, only ${KNOWN.join(', ')}.`;
  const prefix = values.get('prefix') ?? '';
  if (prefix.startsWith('/')) return 'prefix may not begin with a slash.';
  if (prefix.includes('//')) return 'prefix may not have two slashes together.';
  const endpoint = values.get('endpoint_url') ?? '';
  if (endpoint !== '' && !isEndpoint(endpoint)) return 'endpoint_url is not an http or https address of a server.';
  return { region: values.get('region') || DEFAULT_REGION, endpoint: endpoint === '' ? null : endpoint, prefix };
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url !== null && isHttp && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
