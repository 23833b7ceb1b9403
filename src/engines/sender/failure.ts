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
  | 'bad-response' // not HTTP, or headers too large
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
  401: 'set the credentials that it expects in custom_headers',
  403: 'set the credentials that it expects in custom_headers',
  404: 'check the path of target_url',
  405: 'check that target_url accepts POST requests',
  413: 'raise its size limit, or set payload to thin',
  429: 'lower rate_limit or max_concurrency',
};
const OWN_LOG = 'see its log for the cause';

/** Advice for the receiver's operator; none for a receiver that is gone. */
const adviceOfStatus = (status: number): string => (status === 410 ? '' : `; ${STATUS_ADVICE[status] ?? OWN_LOG}`);

/**
 * The failure for a response other than 2xx, or null. Redirects are not followed, because their target was not checked.
 */
export function failureOfStatus(status: number, location: string | undefined): SendFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status < 300 || status >= 400)
    return new SendFailure('status', `the receiver responded with ${status}${adviceOfStatus(status)}`);
  const target = location === undefined ? '' : ` to ${location.slice(0, 500)}`;
  const advice = 'redirects are not followed; use the final URL as target_url';
  return new SendFailure('redirect', `the receiver responded with ${status}, a redirect${target}; ${advice}`);
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
    return new SendFailure('bad-response', `the response headers of ${place} are larger than 16 KiB`);
  }
  if (name === 'HTTPParserError' || NO_HTTP.has(message) || BAD_ANSWERS.has(code)) {
    const problem = code === ASSERTION ? 'protocol error' : message;
    return new SendFailure(
      'bad-response',
      `${place} did not respond with HTTP/1.1 (${problem}); check that a web server listens on this port`,
    );
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return stopped();
  if (code === 'UND_ERR_INVALID_ARG')
    return new SendFailure('invalid-request', `the request cannot be sent: ${message}`);
  if (code.endsWith(CERTIFICATE_ASKED)) {
    return new SendFailure(
      'tls',
      `TLS with ${place} failed: it requires a client certificate, which is not supported (${code})`,
    );
  }
  return new SendFailure('closed', `${place} closed the connection ${ofClosing(status, code)}`);
}

/** OpenSSL's name of the alert that a TLS 1.3 server sends after the handshake to require a client certificate. */
const CERTIFICATE_ASKED = 'ALERT_CERTIFICATE_REQUIRED';

/** When the connection was closed, the system's error code, and advice. */
function ofClosing(status: number | null, code: string): string {
  const name = code === '' || code.startsWith('UND_') ? '' : ` (${code})`;
  if (status !== null) return `before its response with status ${status} was complete${name}; ${OWN_LOG}`;
  return `before it responded${name}; ${OWN_LOG}, and check the port and the scheme (http or https) of the URL`;
}

/** The failure of a connection attempt, before TLS. */
export function connectFailure(error: unknown, place: string): SendFailure {
  if (error instanceof SendFailure) return error;
  const { code, message } = describe(error);
  if (code === 'ECONNREFUSED') {
    return new SendFailure('connect', `${place} refused the connection; check that it runs on this port`);
  }
  if (code === 'ETIMEDOUT') return notAccepted(place, 'in time');
  return new SendFailure('connect', `cannot connect to ${place} (${code || message})`);
}

/** The failure for a connection attempt without a response. @param within how long the sender waited */
export const notAccepted = (place: string, within: string): SendFailure =>
  new SendFailure(
    'connect-timeout',
    `${place} did not accept a connection ${within}; check that it is running and that no firewall blocks this server`,
  );

/** The failure of a DNS lookup. */
export function dnsFailure(error: unknown, hostname: string): SendFailure {
  const { code, message } = describe(error);
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
  const reason = isUnknown ? 'unknown host' : 'the lookup failed';
  const advice = isUnknown ? 'check the spelling of the name' : "check this server's name servers";
  return new SendFailure('dns', `${hostname} cannot be resolved: ${reason} (${code || message}); ${advice}`);
}

const TLS_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate chain is incomplete or signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

export const NO_TLS = 'check that it serves HTTPS on this port';
const TLS_QUESTIONS: readonly (readonly [RegExp, string])[] = [
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, 'check that it supports TLS 1.2 or newer'],
  [/HANDSHAKE_FAILURE/, 'check that it supports current ciphers and requires no client certificate'],
  [/UNRECOGNIZED_NAME/, 'check that it is configured for this host name'],
];

/** The failure of a TLS handshake. @param advice an alternative to fixing the certificate, if there is one */
export function tlsFailure(error: unknown, place: string, advice = ''): SendFailure {
  if (error instanceof SendFailure) return error;
  const { code, message } = describe(error);
  const reason = TLS_REASONS[code];
  if (reason !== undefined) {
    const remedy = `install a valid certificate on it${advice}`;
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
