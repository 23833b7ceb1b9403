import { CairnError, RequestFailed } from 'cairn-client';
import { ServerUnavailable } from './api';
import { fieldTitle } from './field-title';
import { FunctionFailed } from './function-failed';
import { plainText, readable } from './readable';
import { InvalidInput } from './invalid-input';
import { NotPossible } from './not-possible';
import { OtherUser } from './session-owner';

/** An error as it is shown to users. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Messages for single fields, by their names in the API. */
  readonly fields: Readonly<Record<string, string>>;
  /** ID of the request in the server's log. */
  readonly requestId: string | null;
  readonly status: number | null;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'Your session has expired',
  403: 'You do not have permission',
  404: 'Not found',
  405: 'The server does not support this',
  409: 'This is not possible right now',
  410: 'This no longer exists',
  412: 'Someone else saved changes first',
  413: 'This is too large',
  415: 'This file type is not supported',
  429: 'Too many requests',
  503: 'The server is not ready',
  507: 'The server is out of disk space',
};

const TEXTS: Readonly<Record<number, string>> = {
  401: 'Log in again. Your input is kept.',
  403: 'Your role does not allow this. Ask the owner or a maintainer.',
  404: 'It may have been deleted, or it belongs to an organization that you are not a member of.',
  412: 'It has changed since you opened it. Your input is kept. Load the current version, then save again.',
  413: 'It exceeds the limit that the administrator of this server has set.',
  429: 'Wait a moment, then try again.',
  507: 'Nothing was stored. Ask the administrator to free disk space, then try again. An upload continues where it stopped.',
};

/** Statuses whose text from the server is generic. The texts above are shown instead, as they say what to do. */
const ADVISED = new Set([401, 404, 412, 507]);

/** Browser messages for a part of the app that failed to load: Chromium, Firefox, Safari, and style sheets in any of them. */
const UNLOADED = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** Turns any error of a request into a title and a text for users. */
export function explain(error: unknown): Problem {
  if (error instanceof CairnError) return explainRefusal(error);
  if (error instanceof ServerUnavailable)
    return plain(
      'Cannot reach the server',
      'Check that it is running and that you are connected, then try again. Nothing is lost.',
    );
  if (error instanceof OtherUser) return plain('Another user is logged in', error.message);
  if (error instanceof InvalidInput) return { ...plain('The form has errors', error.message), fields: error.fields };
  if (error instanceof NotPossible) return plain('This is not possible', error.message);
  if (error instanceof FunctionFailed) return plain(error.title, error.message);
  if (error instanceof RequestFailed) return plain('The background request failed', readable(error.message));
  if (error instanceof Error && UNLOADED.test(error.message))
    return plain(
      'This page could not be loaded',
      'The server was unavailable or has been updated since you opened the app. Try again.',
    );
  return plain('Something went wrong', error instanceof Error ? error.message : String(error));
}

const plain = (title: string, text: string): Problem => ({ title, text, fields: {}, requestId: null, status: null });

/** Shown in place of a connection error once the server is available again. */
export const SERVER_AVAILABLE_AGAIN: Problem = plain(
  'The server was unavailable',
  'It is available again and nothing is lost. Try again.',
);

function explainRefusal({ status, body, requestId }: CairnError): Problem {
  const isServerFault = status >= 500;
  const fields = status === 400 ? fieldsOf(body) : {};
  const isNoField = status === 400 && Object.keys(fields).length === 0;
  const title = isNoField
    ? 'This is not possible'
    : (TITLES[status] ?? (isServerFault ? 'Server error' : 'The request was refused'));
  const said = typeof body === 'string' && Object.keys(fields).length > 0 ? detailOf(fields) : detailOf(body);
  const isGeneral = said === '' || (status === 403 && said.startsWith('You do not have permission'));
  const text = isGeneral || ADVISED.has(status) ? (TEXTS[status] ?? said) : said;
  const fallback = isServerFault
    ? 'This is not your fault. See the server log for details.'
    : 'The server gave no reason.';
  return { title, text: text === '' ? fallback : text, fields, requestId: isServerFault ? requestId : null, status };
}

const GENERAL = new Set(['non_field_errors', 'detail']);

/** Error bodies are a text, a list of texts, or an object of fields with either of them, nested to any depth. */
function detailOf(body: unknown): string {
  if (typeof body === 'string') return /^\s*</.test(body) ? '' : plainText(body.trim());
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

function fieldsOf(body: unknown): Readonly<Record<string, string>> {
  if (typeof body === 'string') return fieldsOfLines(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => (GENERAL.has(name) ? [] : [[name, detailOf(value)]])),
  );
}

/** Some error bodies are lines of the form `field: message`, escaped as HTML. */
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
