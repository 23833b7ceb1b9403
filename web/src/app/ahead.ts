import { ACCEPT } from 'cairn-client/accept';
import { currentOrganization } from './current-organization';

/** After the beginning of the page: what is not taken by then is old, and asked for anew. */
const KEPT_MS = 10_000;

const asked = new Map<string, Promise<Response>>();
/** What the app has asked for by itself meanwhile. */
const sent = new Set<string>();
/** Slug of the organization that a request names, empty for the personal space; null where it names neither. */
type Where = string | null;
const keyOf = (where: Where, address: string): string => `${where ?? '*'} ${address}`;

/**
 * Asks for something of the API before the app is there that wants it. Whoever sends the same request first gets the answer.
 * @param address path and query, as the app will have them
 * @returns the answer. Whoever reads it reads a clone, made at once: it is the app's. Undefined where the app was faster
 */
export function askAhead(
  address: string,
  {
    organization = currentOrganization.get(),
    accept = ACCEPT,
  }: { readonly organization?: Where; readonly accept?: string } = {},
): Promise<Response> | undefined {
  const key = keyOf(organization, address);
  if (sent.has(key)) return undefined;
  const headers = { Accept: accept, ...(organization === null ? {} : { 'X-Organization': organization }) };
  const answer = fetch(address, { headers });
  answer.catch(() => undefined);
  asked.set(key, answer);
  return answer;
}

/** @returns the answer to a request that was sent ahead, once */
export function takeAhead({ method, url, headers }: Request): Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  const { pathname, search } = new URL(url);
  return takeAnswer(`${pathname}${search}`, headers.get('X-Organization'));
}

/** @returns the answer for an address that was asked for ahead, once */
export function takeAnswer(
  address: string,
  organization: Where = currentOrganization.get(),
): Promise<Response> | undefined {
  if (performance.now() > KEPT_MS) return undefined;
  const key = keyOf(organization, address);
  const found = asked.get(key);
  asked.delete(key);
  sent.add(key);
  return found;
}
