import makeClient, { type Client } from 'openapi-fetch';
import { ACCEPT } from './accept.js';
import { CairnError } from './cairn-error.js';
import type { paths } from './schema.js';

/** Response types. For operations with several versions, the schema has only the newest one. */
type Media = 'application/json' | 'application/vnd.cvat+json';

/** Credentials: at most one of the three, none for public operations. */
export interface Credentials {
  /** The key from the login response. */
  readonly token?: string;
  /** A personal access token. */
  readonly accessToken?: string;
  /** `browser` uses the cookies of the page. Elsewhere, the values of the two cookies that the login sets. */
  readonly session?: 'browser' | { readonly sessionid: string; readonly csrftoken: string };
}

export interface ClientOptions extends Credentials {
  /** URL of the server, such as `https://cairn.example.org`. */
  readonly baseUrl: string;
  /** Slug of the organization of all requests. An empty string is the personal space. */
  readonly organization?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Typed `GET`, `POST`, … for the paths of the API, and `send` for bodies that are not JSON. */
export interface CairnClient extends Client<paths, Media> {
  /**
   * Sends a request with the client's credentials.
   * @param address a path, or a complete URL of the same server
   * @throws CairnError if the response is not successful
   */
  send(address: string, init?: RequestInit): Promise<Response>;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Creates a client. This sends no request. */
export function createClient(options: ClientOptions): CairnClient {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const authorized = (request: Request): Promise<Response> => fetch(authorize(request, options));
  const typed = makeClient<paths, Media>({ baseUrl, headers: { Accept: ACCEPT }, fetch: authorized });
  return {
    ...typed,
    async send(address, init = {}) {
      const response = await authorized(new Request(ownAddress(address, baseUrl), init));
      if (response.ok) return response;
      throw new CairnError(response, await readBody(response));
    },
  };
}

/** Prevents sending credentials to other servers. */
function ownAddress(address: string, baseUrl: string): URL {
  const url = new URL(address, `${baseUrl}/`);
  if (url.origin !== new URL(baseUrl).origin) throw new TypeError(`${url.href} is not a URL of ${baseUrl}`);
  return url;
}

function authorize(request: Request, options: ClientOptions): Request {
  const { token, accessToken, session, organization } = options;
  const { headers } = request;
  if (token !== undefined) headers.set('Authorization', `Token ${token}`);
  if (accessToken !== undefined) headers.set('Authorization', `Bearer ${accessToken}`);
  if (organization !== undefined) headers.set('X-Organization', organization);
  if (session === undefined) return request;
  if (session !== 'browser') headers.set('Cookie', `sessionid=${session.sessionid}; csrftoken=${session.csrftoken}`);
  const csrf = session === 'browser' ? browserCsrfToken() : session.csrftoken;
  if (!SAFE.has(request.method) && csrf !== undefined) headers.set('X-CSRFToken', csrf);
  return session === 'browser' ? new Request(request, { credentials: 'same-origin' }) : request;
}

function browserCsrfToken(): string | undefined {
  const { document } = globalThis as { document?: { cookie: string } };
  return /(?:^|; )csrftoken=([^;]+)/.exec(document?.cookie ?? '')?.[1];
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
