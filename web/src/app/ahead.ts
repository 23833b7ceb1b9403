import { ACCEPT } from 'cairn-client/accept';
import { currentOrganization } from './current-organization';
import { EarlyResponses } from './early-responses';

const early = new EarlyResponses();
/** Organization slug of a request, empty for the personal space, or null for none. */
type Where = string | null;
const keyOf = (where: Where, address: string): string => `${where ?? '*'} ${address}`;

/**
 * Sends a request to the API before the app has started. The app's first identical request receives the response.
 * @param address path and query, exactly as the app will request them
 * @returns the response, or undefined if the app was faster. Callers must read an immediate clone, as the app reads the original.
 */
export function requestAhead(
  address: string,
  {
    organization = currentOrganization.get(),
    accept = ACCEPT,
  }: { readonly organization?: Where; readonly accept?: string } = {},
): Promise<Response> | undefined {
  const key = keyOf(organization, address);
  if (early.isLate(key)) return undefined;
  const headers = { Accept: accept, ...(organization === null ? {} : { 'X-Organization': organization }) };
  const response = fetch(address, { headers });
  early.add(key, response);
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
  return early.take(keyOf(organization, address));
}
