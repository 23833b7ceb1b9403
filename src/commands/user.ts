import { randomInt } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Invalid } from '../core/http/errors/errors.js';
import { AccountAdministration, LoginLinks } from '../modules/auth/index.js';
import { StartError } from '../start-error.js';
import { withApplication } from './application.js';

const LENGTH = 20;
/** Excludes characters that are easily confused. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Creates an account, and prints its password if it was generated. */
export async function createUser(username: string, options: { email: string; admin: boolean }): Promise<void> {
  const password = await choosePassword();
  await administer((accounts) => accounts.create({ username, ...options }, password.text));
  say(`Created the ${options.admin ? 'administrator' : 'user'} ${username}.`, password);
}

/** Sets a password; the account's sessions and tokens expire. */
export async function setPassword(username: string): Promise<void> {
  const password = await choosePassword();
  const known = await administer((accounts) => accounts.setPassword(username, password.text));
  if (!known) throw new StartError(`There is no user "${username}".`);
  say(`Set the password of ${username}.`, password);
}

/** Prints a link that logs in once, for when the identity provider does not work. */
export async function createLoginLink(username: string): Promise<void> {
  const link = await withApplication((app) => app.get(LoginLinks).create(username));
  if (link === null) throw new StartError(`There is no active user "${username}".`);
  process.stdout.write(`Open this link within 15 minutes to log in as ${username}. It works once.\n${link}\n`);
  if (link.startsWith('/')) process.stdout.write('Put the URL of the server before it.\n');
}

interface Password {
  readonly text: string;
  /** Whether the password was generated and must be printed. */
  readonly isGenerated: boolean;
}

/** Reads the password from the first line of standard input. Generates one if that is a terminal or empty. */
async function choosePassword(): Promise<Password> {
  const given = process.stdin.isTTY ? '' : ((await text(process.stdin)).split(/\r?\n/)[0] ?? '');
  if (given !== '') return { text: given, isGenerated: false };
  const characters = Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length)));
  return { text: characters.join(''), isGenerated: true };
}

async function administer<T>(use: (accounts: AccountAdministration) => Promise<T>): Promise<T> {
  try {
    return await withApplication((app) => use(app.get(AccountAdministration)));
  } catch (error) {
    throw error instanceof Invalid ? new StartError(sentence(error.body)) : error;
  }
}

/** Formats `{ password: ['Too short.'] }` as `password: Too short.` */
function sentence(problems: unknown): string {
  const entries = Object.entries(problems as Readonly<Record<string, unknown>>);
  return entries.map(([field, texts]) => `${fieldName(field)}: ${[texts].flat().join(' ')}`).join(' ');
}

/** The service that changes passwords reports errors for the second of its two fields. */
const fieldName = (field: string): string => (field === 'new_password2' ? 'password' : field);

function say(done: string, password: Password): void {
  process.stdout.write(`${done}\n`);
  if (password.isGenerated) process.stdout.write(`Password: ${password.text}\nThis password is not shown again.\n`);
}
