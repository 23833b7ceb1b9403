import makeClient, { type Client } from 'openapi-fetch';
import { ACCEPT } from './accept.js';
import { CairnError } from './cairn-error.js';
import type { paths } from './schema.js';

/** Types of answers; of an operation that answers in several versions the schema has the newest alone. */
type Media = 'application/json' | 'application/vnd.cvat+json';

/** Who asks. At most one of the three; none for public operations. */
export interface Credentials {
  /** The key that log-in answers with. */
  readonly token?: string;
  /** A personal access token. */
  readonly accessToken?: string;
  /** `browser`: the cookies of the page's log-in. Elsewhere the values of the two cookies that log-in sets. */
  readonly session?: 'browser' | { readonly sessionid: string; readonly csrftoken: string };
}

export interface ClientOptions extends Credentials {
  /** Address of the server, such as `https://cairn.example.org`. */
  readonly baseUrl: string;
  /** Slug of the organization that requests are about; the empty text is the personal space. */
  readonly organization?: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** `GET`, `POST`, … by the paths of the API, typed; and `send` for bodies that are not JSON. */
export interface CairnClient extends Client<paths, Media> {
  /**
   * Sends a request with the client's credentials.
   * @param address a path, or a whole address of the same server
   * @throws CairnError when the answer is not a success
   */
  send(address: string, init?: RequestInit): Promise<Response>;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Makes a client. Nothing is sent yet. */
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

/** Credentials go to no other server. */
function ownAddress(address: string, baseUrl: string): URL {
  const url = new URL(address, `${baseUrl}/`);
  if (url.origin !== new URL(baseUrl).origin) throw new TypeError(`${url.href} is not an address of ${baseUrl}`);
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
