import type { Client, Entry, SearchOptions } from 'ldapts';
import { type ConnectionSettings, DirectoryError, reasonOf, resultCode, withConnection } from './connection.js';
import { type Dn, isBelow, looksLikeDn, parseDn, sameDn } from './dn.js';
import { escapeValue, fillFilter } from './filter.js';

/** How to read an LDAP directory. */
export interface DirectorySettings extends ConnectionSettings {
  /** Servers with the same content. They are tried in order. */
  readonly urls: readonly string[];
  /** Who searches; empty: anonymous. */
  readonly bindDn: string;
  readonly bindPassword: string;
  readonly userBase: string;
  /** `{username}` stands for what the user entered. */
  readonly userFilter: string;
  /** Names of the attributes of users. The value of `id` never changes, and is never given to another user. */
  readonly attributes: Readonly<Record<'id' | 'username' | 'email' | 'firstName' | 'lastName', string>>;
  /** Empty: groups are not read. */
  readonly groupBase: string;
  /** `{dn}` and `{username}` stand for the user who was found. */
  readonly groupFilter: string;
  /** The groups that matter: each the `cn` of a group, or a distinguished name. */
  readonly groupNames: readonly string[];
}

/** A user of the directory. Texts that the directory does not have are empty. */
export interface DirectoryUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Those of `groupNames` that are groups of the user. */
  readonly groups: readonly string[];
  /** Those of `groupNames` that are the `cn` of several entries. Not known for users without groups. */
  readonly ambiguousGroups: readonly string[];
}

/** The user, or the reason why the directory refuses the name or the password. */
export type DirectoryAnswer = { readonly user: DirectoryUser } | { readonly user: null; readonly reason: string };

/** For all servers. */
const TOTAL_MS = 15_000;
const MAX_GROUPS = 1_000;

/**
 * Results of a bind that concern the user: constraint violation (locked), no such object, inappropriate authentication (no
 * password), invalid credentials, insufficient access, unwilling to perform (locked).
 */
const REFUSALS = new Set([19, 32, 48, 49, 50, 53]);
/** Busy and unavailable. */
const OF_ONE_SERVER = new Set([51, 52]);

/** Distinguished names in the settings are not valid. */
export class DirectorySettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join(' '));
    this.name = 'DirectorySettingsError';
  }
}

/** @throws DirectorySettingsError */
export function requireNames({ urls, groupBase, groupNames }: DirectorySettings): void {
  if (urls.length === 0) return;
  const wrong = groupNames.filter((name) => looksLikeDn(name) && parseDn(name) === null);
  const problems = wrong.map(
    (name) => `LDAP_GROUPS names "${name}", which is not a valid DN. Write a backslash before , + " \\ < > in values.`,
  );
  if (groupBase !== '' && parseDn(groupBase) === null)
    problems.push('LDAP_GROUP_BASE must be a DN such as ou=groups,dc=example,dc=org.');
  if (problems.length > 0) throw new DirectorySettingsError(problems);
}

/**
 * Finds the user with this name, and verifies the password.
 * @throws DirectoryError
 */
export async function authenticate(
  settings: DirectorySettings,
  username: string,
  password: string,
): Promise<DirectoryAnswer> {
  // A bind with a name and an empty password succeeds: it is anonymous (RFC 4513, 5.1.2).
  if (username === '' || password === '') return refused('the name or the password is empty');
  const limit = AbortSignal.timeout(TOTAL_MS);
  const failures: string[] = [];
  for (const url of settings.urls) {
    try {
      return await withConnection(settings, url, limit, (client) => verify(client, settings, username, password));
    } catch (error) {
      const code = resultCode(error);
      const isOfAll = error instanceof DirectoryError || (code !== null && !OF_ONE_SERVER.has(code));
      if (isOfAll) throw atServer(url, error);
      failures.push(atServer(url, error).message);
    }
  }
  throw new DirectoryError(failures.join('; '));
}

/**
 * Checks whether one server accepts the settings.
 * @returns the settings that do not fit, one sentence each
 * @throws DirectoryError
 */
export async function inspectServer(settings: DirectorySettings, url: string): Promise<string[]> {
  const { userBase, userFilter, attributes, groupBase, groupNames } = settings;
  const inspect = async (client: Client): Promise<string[]> => {
    await bindForSearch(client, settings);
    const [users] = await baseOf(client, userBase, attributes.id);
    const filter = fillFilter(userFilter, { username: 'cairn-doctor' });
    if (users !== undefined) await client.search(userBase, { filter, sizeLimit: 1, attributes: ['1.1'] });
    const hasGroups = groupBase === '' || (await baseOf(client, groupBase, 'cn')).length > 0;
    return [
      ...(users === undefined ? [`LDAP_USER_BASE ${userBase} cannot be read`] : []),
      ...(users !== undefined && textOf(users, attributes.id) === '' ? [`${userBase} has no ${attributes.id}`] : []),
      ...(hasGroups ? [] : [`LDAP_GROUP_BASE ${groupBase} cannot be read`]),
      ...(hasGroups && groupBase !== '' ? await ambiguousNames(client, groupBase, groupNames) : []),
    ];
  };
  try {
    return await withConnection(settings, url, AbortSignal.timeout(TOTAL_MS), inspect);
  } catch (error) {
    throw atServer(url, error);
  }
}

async function ambiguousNames(client: Client, base: string, names: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const name of names) {
    const isAmbiguous = !looksLikeDn(name) && (await named(client, base, name)).length > 1;
    if (isAmbiguous) problems.push(`LDAP_GROUPS names "${name}", but several entries have this cn; write the whole DN`);
  }
  return problems;
}

async function verify(
  client: Client,
  settings: DirectorySettings,
  username: string,
  password: string,
): Promise<DirectoryAnswer> {
  const { userBase, userFilter, attributes } = settings;
  await bindForSearch(client, settings);
  const found = await entriesOf(client, userBase, {
    filter: fillFilter(userFilter, { username }),
    sizeLimit: 2,
    attributes: Object.values(attributes),
    // Active Directory's is not a text.
    explicitBufferAttributes: [attributes.id, 'objectGUID'],
  });
  const [entry, ...others] = found;
  if (entry === undefined || entry.dn === '') return refused('no entry has this name');
  if (others.length > 0) return refused('several entries have this name');
  try {
    await client.bind(entry.dn, password);
  } catch (error) {
    if (REFUSALS.has(resultCode(error) ?? 0)) return refused(reasonOf(error));
    throw error;
  }
  const id = textOf(entry, attributes.id);
  // A binary value that was read as a text: other users could have the same.
  const isUsable = id !== '' && !id.includes('\uFFFD');
  if (!isUsable) throw new DirectoryError(`${entry.dn} has no attribute ${attributes.id}; correct LDAP_ID_ATTRIBUTE`);
  const person = {
    id,
    username: textOf(entry, attributes.username) || username,
    email: textOf(entry, attributes.email),
    firstName: textOf(entry, attributes.firstName),
    lastName: textOf(entry, attributes.lastName),
  };
  return { user: { ...person, ...(await groupsOf(client, settings, entry.dn, person.username)) } };
}

/** Reads the groups with the permissions of whoever searches: users often cannot. */
async function groupsOf(
  client: Client,
  settings: DirectorySettings,
  dn: string,
  username: string,
): Promise<Pick<DirectoryUser, 'groups' | 'ambiguousGroups'>> {
  const { groupBase, groupFilter, groupNames } = settings;
  const groups: string[] = [];
  const ambiguousGroups: string[] = [];
  if (groupBase === '' || groupNames.length === 0) return { groups, ambiguousGroups };
  await bindForSearch(client, settings);
  const filter = fillFilter(groupFilter, { dn, username });
  const found = await entriesOf(client, groupBase, { filter, sizeLimit: MAX_GROUPS, attributes: ['1.1'] });
  const memberOf = namesWithin(found, groupBase);
  if (memberOf.length === 0) return { groups, ambiguousGroups };
  for (const name of groupNames) {
    const [entry, ...others] = looksLikeDn(name) ? [parseDn(name)] : await named(client, groupBase, name);
    if (others.length > 0) ambiguousGroups.push(name);
    else if (entry != null && memberOf.some((group) => sameDn(group, entry))) groups.push(name);
  }
  return { groups, ambiguousGroups };
}

/**
 * The entries with this `cn` below a base. Members of one of them are not members of the other, and often
 * others than administrators can create groups somewhere below the base.
 */
async function named(client: Client, base: string, name: string): Promise<readonly Dn[]> {
  const filter = `(cn=${escapeValue(name)})`;
  const found = await entriesOf(client, base, { filter, sizeLimit: MAX_GROUPS, attributes: ['1.1'] });
  return namesWithin(found, base);
}

/** A directory can return entries outside the base, for example of aliases. */
function namesWithin(entries: readonly Entry[], base: string): Dn[] {
  const top = parseDn(base) ?? [];
  return entries.map(({ dn }) => parseDn(dn)).filter((dn): dn is Dn => dn !== null && isBelow(dn, top));
}

async function bindForSearch(client: Client, { bindDn, bindPassword }: DirectorySettings): Promise<void> {
  try {
    await client.bind(bindDn, bindPassword);
  } catch (error) {
    if (!REFUSALS.has(resultCode(error) ?? 0)) throw error;
    throw new DirectoryError(`LDAP_BIND_DN or LDAP_BIND_PASSWORD was refused: ${reasonOf(error)}`, error);
  }
}

async function entriesOf(client: Client, base: string, options: SearchOptions): Promise<readonly Entry[]> {
  return (await client.search(base, options)).searchEntries;
}

const NO_SUCH_OBJECT = 32;

/** The entry at a base; none if it does not exist. */
async function baseOf(client: Client, base: string, attribute: string): Promise<readonly Entry[]> {
  try {
    const explicitBufferAttributes = [attribute, 'objectGUID'];
    return await entriesOf(client, base, { scope: 'base', attributes: [attribute], explicitBufferAttributes });
  } catch (error) {
    if (resultCode(error) === NO_SUCH_OBJECT) return [];
    throw error;
  }
}

/** Servers may write the name of an attribute in another letter case than the request. */
function valuesOf(entry: Entry, attribute: string): string[] {
  const found = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase());
  return [found?.[1] ?? []].flat().map((value) => (typeof value === 'string' ? value : readBytes(value)));
}

const textOf = (entry: Entry, attribute: string): string => (valuesOf(entry, attribute)[0] ?? '').trim();

/** The text, or the bytes in hexadecimal if they are none. */
function readBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return /[\p{Cc}\uFFFD]/u.test(text) ? bytes.toString('hex') : text;
}

const refused = (reason: string): DirectoryAnswer => ({ user: null, reason });

const atServer = (url: string, error: unknown): DirectoryError =>
  new DirectoryError(`${url}: ${reasonOf(error)}`, error);
