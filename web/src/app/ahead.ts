import { ACCEPT } from 'cairn-client/accept';
import { currentOrganization } from './current-organization';

/** Early responses are used until this time after the page started to load. */
const KEPT_MS = 10_000;

const early = new Map<string, Promise<Response>>();
/** Requests that the app has sent itself. */
const sent = new Set<string>();
/** Organization slug of a request, empty for the personal space, or null for none. */
type Where = string | null;
const keyOf = (where: Where, address: string): string => `${where ?? '*'} ${address}`;

/**
 * Sends a request to the API before the app has started. The app's first identical request receives the response.
 * @param address path and query, exactly as the app will request them
 * @returns the response, or undefined if the app was faster. Callers must read an immediate clone, as the app reads the original.
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
  const response = fetch(address, { headers });
  response.catch(() => undefined);
  early.set(key, response);
  return response;
}

/** @returns the early response to a request, once */
export function takeAhead({ method, url, headers }: Request): Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  const { pathname, search } = new URL(url);
  return takeResponse(`${pathname}${search}`, headers.get('X-Organization'));
}

/** @returns the early response for a path and query, once */
export function takeResponse(
  address: string,
  organization: Where = currentOrganization.get(),
): Promise<Response> | undefined {
  if (performance.now() > KEPT_MS) return undefined;
  const key = keyOf(organization, address);
  const found = early.get(key);
  early.delete(key);
  sent.add(key);
  return found;
}
