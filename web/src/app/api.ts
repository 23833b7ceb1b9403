import { createClient, type components, type ItemOf, type ListOptions, type ListPath, paginate } from 'cairn-client';
import { takeAhead } from './ahead';
import { connection } from './connection';
import { currentOrganization } from './current-organization';
import { csrfToken } from './session-cookie';
import { SessionOwner } from './session-owner';

type Schemas = components['schemas'];
export type AccessToken = Schemas['AccessToken'];
export type Activity = Schemas['Activity'];
export type ActivityFigures = Schemas['ActivityFigures'];
export type Agreement = Schemas['Agreement'];
export type Attribute = Schemas['Attribute'];
export type AuditRecord = Schemas['AuditRecord'];
export type BackgroundRequest = Schemas['Request'];
export type BasicUser = Schemas['BasicUser'];
export type ConsensusSettings = Schemas['ConsensusSettings'];
export type CloudStorage = Schemas['CloudStorage'];
export type Format = Schemas['Format'];
export type Guide = Schemas['Guide'];
export type HealthCheck = Schemas['HealthCheck'];
export type ImportReport = Schemas['ImportReport'];
export type Invitation = Schemas['Invitation'];
export type Issue = Schemas['Issue'];
export type Job = Schemas['Job'];
export type JobQuality = Schemas['JobQuality'];
export type Label = Schemas['Label'];
export type Listener = Schemas['Listener'];
export type Membership = Schemas['Membership'];
export type NativeFunction = Schemas['Function'];
export type Organization = Schemas['Organization'];
export type PasswordLink = Schemas['PasswordLink'];
export type Presence = Schemas['Presence'];
export type Project = Schemas['Project'];
export type QuarantinedEvent = Schemas['QuarantinedEvent'];
export type QualityConflict = Schemas['QualityConflict'];
export type QualityReport = Schemas['QualityReport'];
export type QualityAnnotator = Schemas['QualityAnnotator'];
export type QualitySettings = Schemas['QualitySettings'];
export type Receiver = Schemas['InspectBox'];
export type Revision = Schemas['Revision'];
export type Task = Schemas['Task'];
export type User = Schemas['User'];
export type Webhook = Schemas['Webhook'];
export type WebhookAttempt = Schemas['WebhookAttempt'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** The request did not reach the server, or its response did not reach the page. */
export class ServerUnavailable extends Error {
  constructor(cause: unknown) {
    super('Cannot reach the server.', { cause });
    this.name = 'ServerUnavailable';
  }
}

/** The client of the app. It uses the browser's session and the selected organization. */
export const api = createClient({ baseUrl: window.location.origin, session: 'browser', fetch: send });

/** Reads all rows of a list, page by page. */
export async function readAll<Path extends ListPath>(path: Path, options: ListOptions<Path>): Promise<ItemOf<Path>[]> {
  const rows: ItemOf<Path>[] = [];
  for await (const row of paginate(api, path, options)) rows.push(row);
  return rows;
}

/** Headers of a request without an organization. Lists then contain the rows of all organizations and of none. */
export const ANYWHERE = { 'X-Organization': '*' } as const;

/**
 * Headers for reading what belongs to the organization of an object, in which maintainers see everything.
 * @param slug of the organization; empty or undefined if there is none or the user is not a member
 */
export const inOrganization = (slug: string | undefined): { readonly 'X-Organization': string } =>
  slug === undefined || slug === '' ? ANYWHERE : { 'X-Organization': slug };

async function send(request: Request): Promise<Response> {
  const where = request.headers.get('X-Organization');
  if (where === ANYWHERE['X-Organization']) request.headers.delete('X-Organization');
  else if (where === null && !new URL(request.url).searchParams.has('org'))
    request.headers.set('X-Organization', currentOrganization.get());
  if (isLoggedIn && !SAFE.has(request.method) && new URL(request.url).pathname !== LOGIN)
    await sessionOwner.admit(request.headers.get('X-CSRFToken') ?? undefined);
  try {
    const response = await (takeAhead(request) ?? fetch(request));
    connection.change({ isAway: false });
    if (response.status === 401 && isLoggedIn) connection.change({ isSessionOver: true });
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    connection.change({ isAway: true });
    throw new ServerUnavailable(error);
  }
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const LOGIN = '/api/auth/login';

let isLoggedIn = false;

/** Records whether a user is logged in, and so whether a 401 means an expired session. */
export function noteLogin(loggedIn: boolean): void {
  isLoggedIn = loggedIn;
  if (loggedIn) connection.change({ isSessionOver: false, otherUser: null });
  else sessionOwner.forget();
}

/** Asks who is logged in. Users are the same in all organizations. */
export const requestSelf = () => api.GET('/api/users/self', { headers: { 'X-Organization': '' } });

/** Ensures that another user who logs in in this browser does not send what this page contains. */
export const sessionOwner = new SessionOwner(
  csrfToken,
  async () => (await requestSelf()).data,
  (other) => connection.change({ isSessionOver: true, otherUser: other.username }),
);
