import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

/** Why a login at the identity provider failed. The login page has a sentence for each. */
export type SignOnProblemCode =
  'denied' | 'unavailable' | 'expired' | 'invalid' | 'refused' | 'unverified' | 'unknown' | 'taken' | 'disabled';

/** A login that failed. The message is for the server's log, and must not contain secrets. */
export class SignOnProblem extends Error {
  constructor(
    readonly code: SignOnProblemCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'SignOnProblem';
  }

  /** An error of the request for tokens or user information. */
  static of(error: unknown): SignOnProblem {
    if (error instanceof SignOnProblem) return error;
    if (error instanceof AuthorizationResponseError) return ofProvider(error.error, error.error_description);
    if (error instanceof ResponseBodyError) {
      // A code that was used or has expired.
      if (error.error === 'invalid_grant') return new SignOnProblem('expired', 'the provider refused the code', error);
      return new SignOnProblem('refused', `the provider responded with ${error.error}`, error);
    }
    if (error instanceof WWWAuthenticateChallengeError)
      return new SignOnProblem('refused', 'the provider refused the credentials of this server', error);
    if (isOfConnection(error)) return new SignOnProblem('unavailable', 'the provider does not respond', error);
    return new SignOnProblem('invalid', error instanceof Error ? error.message : String(error), error);
  }

  static ofDiscovery(error: unknown): SignOnProblem {
    const issuer = otherIssuer(error);
    if (issuer !== null)
      return new SignOnProblem('invalid', `the provider calls itself ${issuer}; set OIDC_ISSUER=${issuer}`);
    return new SignOnProblem('unavailable', 'the settings of the provider cannot be read', error);
  }
}

/** @returns what the provider calls itself, if discovery failed because that is not the configured issuer; otherwise null */
export function otherIssuer(error: unknown): string | null {
  if (!(error instanceof ClientError) || error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return null;
  const { attribute, body } = (error.cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === 'issuer' && typeof body?.issuer === 'string' ? body.issuer : null;
}

const BUSY = new Set(['temporarily_unavailable', 'server_error']);

/** An error that the provider reports in the URL it redirects the browser to. */
function ofProvider(error: string, description: string | undefined): SignOnProblem {
  const said = `the provider reported ${error}${description === undefined ? '' : ` (${description.slice(0, 200)})`}`;
  if (error === 'access_denied') return new SignOnProblem('denied', said);
  return new SignOnProblem(BUSY.has(error) ? 'unavailable' : 'refused', said);
}

const TIMED_OUT = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

function isOfConnection(error: unknown): boolean {
  if (error instanceof ClientError) {
    const { status } = (error.cause ?? {}) as { status?: unknown };
    return TIMED_OUT.has(error.code ?? '') || (typeof status === 'number' && status >= 500);
  }
  return error instanceof TypeError && /fetch failed/.test(error.message);
}
