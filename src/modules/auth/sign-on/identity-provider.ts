import { Inject, Injectable } from '@nestjs/common';
import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { isStorable, UNSTORABLE } from '../../../engines/sql/storable-text.js';
import { groupsIn } from './group-rules.js';
import type { Person } from './sign-on-accounts.js';
import { SignOnProblem } from './sign-on-problem.js';

/** A person, as the OpenID provider describes them. */
export interface Identity extends Person {
  /** The provider's id of the session. */
  readonly sid: string | null;
  readonly idToken: string;
}

/** What the browser keeps between the start of a login and its end. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The sessions that a provider ends. */
export interface EndedSessions {
  readonly issuer: string;
  readonly subject: string | null;
  readonly sid: string | null;
}

/** Timeout for each request to the provider. */
const TIMEOUT_SECONDS = 5;
/** How much the clocks of the provider and this machine may differ. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Endpoints and keys of a provider rarely change. */
const DISCOVERY_MS = 3_600_000;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The configured OpenID provider. Its URL is the operator's choice, so it may be a private address. */
@Injectable()
export class IdentityProvider {
  private discovered: { readonly configuration: Promise<oidc.Configuration>; readonly until: number } | undefined;
  private keys: { readonly url: string; readonly read: JWTVerifyGetKey } | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  get isConfigured(): boolean {
    return this.config.signOn.issuer !== '';
  }

  /** @returns the URL of the provider's login page, and what the browser must keep @throws SignOnProblem */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly pending: PendingLogin }> {
    const configuration = await this.configuration();
    const verifier = oidc.randomPKCECodeVerifier();
    const pending = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.config.signOn.scopes,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, pending };
  }

  /**
   * Exchanges the code for an ID token, and verifies its signature, issuer, audience, nonce and times.
   * @param callback the URL that the provider redirected the browser to
   * @throws SignOnProblem
   */
  async finish(callback: URL, pending: PendingLogin): Promise<Identity> {
    const configuration = await this.configuration();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new SignOnProblem('invalid', 'the response has no ID token');
      const more = await this.userInfo(configuration, tokens.access_token, claims);
      return this.identityOf({ ...more, ...claims }, claims, tokens.id_token ?? '');
    } catch (error) {
      throw SignOnProblem.of(error);
    }
  }

  /** @returns the URL at which the browser ends the session of the provider; null if there is none */
  async endSessionUrl(idToken: string, returnTo: string): Promise<string | null> {
    try {
      const configuration = await this.configuration();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(configuration, {
        id_token_hint: idToken,
        post_logout_redirect_uri: returnTo,
      }).href;
    } catch {
      return null; // the user is logged out here, and the provider cannot be reached
    }
  }

  /** Verifies the logout token of a back-channel logout. @throws if it is not valid */
  async verifyLogout(token: string): Promise<EndedSessions> {
    const { jwks_uri: keys, issuer } = (await this.configuration()).serverMetadata();
    if (keys === undefined) throw new Error('the provider publishes no keys');
    const { payload } = await jwtVerify(token, this.keysAt(keys), {
      issuer,
      audience: this.config.signOn.clientId,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: '10 minutes',
      currentDate: this.clock.now(),
    });
    const { events, nonce, sid, sub } = payload;
    const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events && nonce === undefined;
    if (!isLogout || (typeof sid !== 'string' && sub === undefined)) throw new Error('this is not a logout token');
    return { issuer, subject: sub ?? null, sid: typeof sid === 'string' ? sid : null };
  }

  /** The published keys. They are kept, so that forged logout tokens do not cause a request to the provider each. */
  private keysAt(url: string): JWTVerifyGetKey {
    if (this.keys?.url !== url) {
      this.keys = { url, read: createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_SECONDS * 1000 }) };
    }
    return this.keys.read;
  }

  /** Reads the claims that ID tokens of some providers lack. */
  private async userInfo(
    configuration: oidc.Configuration,
    accessToken: string,
    claims: oidc.IDToken,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { groupRules, groupsClaim } = this.config.signOn;
    const needsGroups = groupRules.length > 0 && groupsIn(claims, groupsClaim).length === 0;
    const isComplete = claims['email'] !== undefined && claims['email_verified'] !== undefined && !needsGroups;
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return oidc.fetchUserInfo(configuration, accessToken, claims.sub);
  }

  private identityOf(
    all: Readonly<Record<string, unknown>>,
    { iss, sub, sid }: oidc.IDToken,
    idToken: string,
  ): Identity {
    const { trustEmail, groupsClaim, groupRules, createAccounts } = this.config.signOn;
    const text = (name: string): string => (typeof all[name] === 'string' ? all[name].trim() : '');
    const verified = all['email_verified'];
    return {
      issuer: iss,
      subject: sub,
      email: text('email'),
      isEmailVerified: verified === true || verified === 'true' || (verified === undefined && trustEmail),
      username: text('preferred_username') || text('nickname'),
      firstName: text('given_name'),
      lastName: text('family_name'),
      groups: groupsIn(all, groupsClaim),
      rules: { groupRules, createAccounts, requiresVerifiedEmail: true },
      sid: sessionOf(sid),
      idToken,
    };
  }

  /** @throws SignOnProblem while the provider cannot be reached */
  async configuration(): Promise<oidc.Configuration> {
    const now = this.clock.now().getTime();
    if (this.discovered === undefined || this.discovered.until < now) {
      const found = { configuration: this.discover(), until: now + DISCOVERY_MS };
      this.discovered = found;
      // The next login tries again.
      found.configuration.catch(() => (this.discovered = this.discovered === found ? undefined : this.discovered));
    }
    try {
      return await this.discovered.configuration;
    } catch (error) {
      throw SignOnProblem.ofDiscovery(error);
    }
  }

  private discover(): Promise<oidc.Configuration> {
    return discoverProvider(this.config.signOn);
  }
}

/** @throws SignOnProblem */
function sessionOf(sid: unknown): string | null {
  if (typeof sid !== 'string') return null;
  if (!isStorable(sid)) throw new SignOnProblem('invalid', `the id of the session ${UNSTORABLE}`);
  return sid;
}

/** Reads the settings that the provider publishes. Also used by `cairn doctor`. */
export async function discoverProvider(settings: Config['signOn']): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const url = new URL(issuer);
  return oidc.discovery(
    url,
    clientId,
    { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    clientSecret === '' ? oidc.None() : withSecret(clientSecret),
    {
      timeout: TIMEOUT_SECONDS,
      // ID tokens are verified by their signature, too, not only by the connection they came over.
      execute: [oidc.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])],
    },
  );
}

/** Sends the secret in the way that the provider supports. Without a list of ways, that is the standard's default. */
function withSecret(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: ways = ['client_secret_basic'] } = server;
    return (ways.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}
