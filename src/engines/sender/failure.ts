/** Why a request failed. The kinds up to `stopped` have no complete response. */
export type FailureKind =
  | 'invalid-request' // URL or headers that cannot be sent
  | 'blocked' // refused by the address guard
  | 'dns'
  | 'connect' // refused, unreachable
  | 'connect-timeout' // DNS or TCP timed out
  | 'tls'
  | 'tls-timeout'
  | 'first-byte-timeout'
  | 'body-timeout' // no further part of the body in time
  | 'total-timeout'
  | 'closed' // the receiver closed the connection before the response was complete
  | 'bad-answer' // not HTTP, or headers too large
  | 'stopped' // this server is stopping, which says nothing about the receiver
  | 'redirect' // 3xx
  | 'status'; // any other response than 2xx

/** A failed request, with a sentence for readers of the log. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  constructor(
    readonly kind: FailureKind,
    /** What went wrong and, if known, how to fix it. */
    readonly sentence: string,
  ) {
    super(sentence);
  }
}

const TIMEOUTS: ReadonlySet<FailureKind> = new Set([
  'tls-timeout',
  'first-byte-timeout',
  'body-timeout',
  'total-timeout',
]);

/**
 * The status that stands for a failure without a complete response: 504 if the receiver did not respond in time, 502 if
 * it could not be reached or understood (including a connection timeout), null if nothing is known.
 */
export function statusOfFailure(kind: FailureKind): number | null {
  if (kind === 'stopped') return null;
  return TIMEOUTS.has(kind) ? 504 : 502;
}

const STATUS_ADVICE: Readonly<Record<number, string>> = {
  401: 'what it asks for can be sent with custom_headers',
  403: 'what it asks for can be sent with custom_headers',
  404: 'is the path of target_url right?',
  405: 'does target_url take POST requests?',
  413: 'raise its limit, or set payload to thin',
  429: 'set rate_limit or max_concurrency to what it takes',
};
const OWN_LOG = 'its own log tells why';

/** Advice for the receiver's operator; none for a receiver that is gone. */
const adviceOfStatus = (status: number): string => (status === 410 ? '' : `; ${STATUS_ADVICE[status] ?? OWN_LOG}`);

/**
 * The failure for a response other than 2xx, or null. Redirects are not followed, because their target was not checked.
 */
export function failureOfStatus(status: number, location: string | undefined): SendFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status < 300 || status >= 400)
    return new SendFailure('status', `the receiver answered ${status}${adviceOfStatus(status)}`);
  const target = location === undefined ? '' : ` to ${location.slice(0, 500)}`;
  const advice = 'redirects are not followed, use the final address as target_url';
  return new SendFailure('redirect', `the receiver answered ${status}, a redirect${target}; ${advice}`);
}

/** undici's messages for a response that is not HTTP. */
const NO_HTTP: ReadonlySet<string> = new Set(['bad response', 'bad upgrade']);
/** The code of the error with which undici fails on a status of 000, which it does not expect. */
const ASSERTION = 'ERR_ASSERTION';
const BAD_ANSWERS: ReadonlySet<string> = new Set([ASSERTION, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/**
 * Converts an error of a system call, of TLS or of undici to a failure.
 *
 * @param place host and port, for the sentence
 * @param status of a response that had begun; null for none
 */
export function failureOf(error: unknown, place: string, status: number | null = null): SendFailure {
  if (error instanceof SendFailure) return error;
  const { code, message, name } = describe(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new SendFailure('bad-answer', `the headers of ${place}'s answer are too large; 16 KiB are taken`);
  }
  if (name === 'HTTPParserError' || NO_HTTP.has(message) || BAD_ANSWERS.has(code)) {
    const problem = code === ASSERTION ? 'its answer breaks the protocol' : message;
    return new SendFailure(
      'bad-answer',
      `${place} did not answer in HTTP/1.1 (${problem}); is there a web server on this port?`,
    );
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return stopped();
  if (code === 'UND_ERR_INVALID_ARG') return new SendFailure('invalid-request', `cannot be sent: ${message}`);
  if (code.endsWith(CERTIFICATE_ASKED)) {
    return new SendFailure(
      'tls',
      `TLS with ${place} failed: it asks for a certificate of the client; there is none (${code})`,
    );
  }
  return new SendFailure('closed', `${place} closed the connection ${ofClosing(status, code)}`);
}

/** OpenSSL's name of the alert that a TLS 1.3 server sends after the handshake to require a client certificate. */
const CERTIFICATE_ASKED = 'ALERT_CERTIFICATE_REQUIRED';

/** When the connection was closed, the system's error code, and advice. */
function ofClosing(status: number | null, code: string): string {
  const name = code === '' || code.startsWith('UND_') ? '' : ` (${code})`;
  if (status !== null) return `in the middle of its answer, whose status was ${status}${name}; ${OWN_LOG}`;
  return `before it had answered${name}; ${OWN_LOG}, unless the address has the wrong port, or http for https`;
}

/** The failure of a connection attempt, before TLS. */
export function connectFailure(error: unknown, place: string): SendFailure {
  if (error instanceof SendFailure) return error;
  const { code, message } = describe(error);
  if (code === 'ECONNREFUSED') {
    return new SendFailure('connect', `${place} refused the connection; is it running on this port?`);
  }
  if (code === 'ETIMEDOUT') return notAccepted(place, 'in time');
  return new SendFailure('connect', `cannot connect to ${place} (${code || message})`);
}

/** The failure for a connection attempt without a response. @param within how long the sender waited */
export const notAccepted = (place: string, within: string): SendFailure =>
  new SendFailure(
    'connect-timeout',
    `${place} did not accept a connection ${within}; is it running, and does a firewall let this server through?`,
  );

/** The failure of a DNS lookup. */
export function dnsFailure(error: unknown, hostname: string): SendFailure {
  const { code, message } = describe(error);
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
  const reason = isUnknown ? 'there is no such host' : 'the look-up failed';
  const advice = isUnknown ? 'is the name spelled rightly?' : "do this server's name servers answer?";
  return new SendFailure('dns', `${hostname} has no address: ${reason} (${code || message}); ${advice}`);
}

const TLS_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate chain is incomplete or of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

export const NO_TLS = 'does it speak HTTPS on this port?';
const TLS_QUESTIONS: readonly (readonly [RegExp, string])[] = [
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, 'does it speak TLS 1.2 or newer?'],
  [/HANDSHAKE_FAILURE/, 'does it have ciphers of today, and does it do without a certificate of the client?'],
  [/UNRECOGNIZED_NAME/, 'does it know itself by this host name?'],
];

/** The failure of a TLS handshake. @param advice an alternative to fixing the certificate, if there is one */
export function tlsFailure(error: unknown, place: string, advice = ''): SendFailure {
  if (error instanceof SendFailure) return error;
  const { code, message } = describe(error);
  const reason = TLS_REASONS[code];
  if (reason !== undefined) {
    const remedy = `install a valid certificate there${advice}`;
    return new SendFailure('tls', `TLS with ${place} failed: ${reason} (${code}); ${remedy}`);
  }
  const question = TLS_QUESTIONS.find(([pattern]) => pattern.test(code))?.[1] ?? NO_TLS;
  return new SendFailure('tls', `TLS with ${place} failed (${code || message}); ${question}`);
}

export function stopped(): SendFailure {
  return new SendFailure('stopped', 'the server is stopping; the attempt does not count');
}

function describe(error: unknown): { code: string; message: string; name: unknown } {
  const { errors, message, name } = propertiesOf(error);
  // An attempt on several addresses fails with one error for each. The first represents them all.
  const { code } = propertiesOf(Array.isArray(errors) ? errors[0] : error);
  return { code: typeof code === 'string' ? code : '', message: String(message ?? error).slice(0, 200), name };
}

/** The `code` of a Node error (`ENOTFOUND`); empty if it has none. */
export function codeOf(error: unknown): string {
  return describe(error).code;
}

function propertiesOf(error: unknown): { code?: unknown; message?: unknown; name?: unknown; errors?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
