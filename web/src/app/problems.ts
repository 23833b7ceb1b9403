import { CairnError, RequestFailed } from 'cairn-client';
import { ServerAway } from './api';
import { readable } from './readable';
import { InvalidInput } from './invalid-input';

/** A failure in words for people. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** What is wrong with single fields, by their name on the wire. */
  readonly fields: Readonly<Record<string, string>>;
  /** The server's log has the request under this id. */
  readonly requestId: string | null;
  readonly status: number | null;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This was not accepted',
  401: 'Your session has ended',
  403: 'You may not do this',
  404: 'There is no such thing',
  405: 'The server cannot do this',
  409: 'This is not possible now',
  410: 'This is gone',
  412: 'Somebody else was faster',
  413: 'This is too large',
  415: 'Files of this kind are not accepted',
  429: 'Too many requests',
  503: 'The server is not ready',
  507: 'The server’s disk is full',
};

const TEXTS: Readonly<Record<number, string>> = {
  401: 'Log in again; what you typed stays.',
  403: 'Your role does not allow it. Ask the owner or a maintainer.',
  404: 'It may have been deleted, or belong to an organization that you are not in.',
  412: 'It was changed since you opened it. Nothing of yours is lost: look at the present state, then save again.',
  413: 'The server accepts no more than its administrator has set.',
  429: 'Wait a moment, then try again.',
  507: 'Nothing was stored. It can be sent again when the administrator has made room; a started upload goes on from where it is.',
};

/** Refusals that the server puts the same way every time: what to do says more. */
const ADVISED = new Set([401, 404, 412, 507]);

/** How browsers put it that a part of the app did not arrive: Chromium, Firefox, Safari, and the styles of any. */
const UNLOADED = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** Says what went wrong, for every kind of failure that requests have. */
export function explain(error: unknown): Problem {
  if (error instanceof CairnError) return explainRefusal(error);
  if (error instanceof ServerAway)
    return plain(
      'The server cannot be reached',
      'Is it running, and are you connected? Nothing is lost; try again then.',
    );
  if (error instanceof InvalidInput)
    return { ...plain('This cannot be sent yet', error.message), fields: error.fields };
  if (error instanceof RequestFailed) return plain('The work failed', readable(error.message));
  if (error instanceof Error && UNLOADED.test(error.message))
    return plain(
      'This page could not be loaded',
      'The server was away, or has been renewed since you opened the app. Try again.',
    );
  return plain('Something went wrong', error instanceof Error ? error.message : String(error));
}

const plain = (title: string, text: string): Problem => ({ title, text, fields: {}, requestId: null, status: null });

/** What is left to say of an absence that is over. */
export const SERVER_IS_BACK: Problem = plain('The server was away', 'It is back, and nothing is lost: try again.');

function explainRefusal({ status, body, requestId }: CairnError): Problem {
  const isServerFault = status >= 500;
  const title = TITLES[status] ?? (isServerFault ? 'The server failed' : 'This was refused');
  const fields = status === 400 ? fieldsOf(body) : {};
  const said = typeof body === 'string' && Object.keys(fields).length > 0 ? detailOf(fields) : detailOf(body);
  const isGeneral = said === '' || (status === 403 && said.startsWith('You do not have permission'));
  const text = isGeneral || ADVISED.has(status) ? (TEXTS[status] ?? said) : said;
  const fallback = isServerFault
    ? 'It is not your fault. The log of the server says more.'
    : 'The server gave no reason.';
  return { title, text: text === '' ? fallback : text, fields, requestId: isServerFault ? requestId : null, status };
}

const GENERAL = new Set(['non_field_errors', 'detail']);

/** Texts of refusals come as a text, a list of texts, or an object of the fields with either, at any depth. */
function detailOf(body: unknown): string {
  if (typeof body === 'string') return /^\s*</.test(body) ? '' : body.trim();
  if (Array.isArray(body)) return body.map(detailOf).filter(Boolean).join(' ');
  if (typeof body !== 'object' || body === null) return '';
  return Object.entries(body)
    .filter(([name]) => name !== 'request_id')
    .map(([name, value]) => {
      const text = detailOf(value);
      return text === '' || GENERAL.has(name) || /^\d+$/.test(name) ? text : `${fieldTitle(name)}: ${text}`;
    })
    .filter(Boolean)
    .join(' ');
}

const fieldTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

function fieldsOf(body: unknown): Readonly<Record<string, string>> {
  if (typeof body === 'string') return fieldsOfLines(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => (GENERAL.has(name) ? [] : [[name, detailOf(value)]])),
  );
}

/** Some refusals are lines of text, `field: sentence`, escaped as HTML. */
function fieldsOfLines(text: string): Readonly<Record<string, string>> {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => /^([a-z_]+): (.*)$/.exec(line));
  if (!lines.every((line) => line !== null)) return {};
  return Object.fromEntries(lines.map(([, name = '', sentence = '']) => [name, unescapeHtml(sentence)]));
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
