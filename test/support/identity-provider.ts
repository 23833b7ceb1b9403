import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** What the provider says about whoever logs in. A claim that is undefined is absent. */
export type Claims = Record<string, unknown>;

/** How a provider can misbehave. */
export interface Faults {
  /** Status of the token endpoint. */
  readonly tokenStatus?: number;
  /** The token endpoint does not respond. */
  readonly hangs?: boolean;
  /** Signs with a key that is not published. */
  readonly wrongKey?: boolean;
}

export const CLIENT_ID = 'cairn';

/**
 * An OpenID provider that logs everybody in as `claims`, without asking. It issues what a test wants, also what a real
 * provider never would; web/test/sign-on.e2e.mjs uses a real one.
 */
export async function createIdentityProvider() {
  const [{ privateKey, publicKey }, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, string>();
  const requests: string[] = [];
  let claims: Claims = {};
  let faults: Faults = {};

  const sign = (payload: Claims): Promise<string> =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(faults.wrongKey === true ? other.privateKey : privateKey);

  const now = (): number => Math.floor(Date.now() / 1000);

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = new URLSearchParams(await text(request)).get('code') ?? '';
    const nonce = nonces.get(code);
    nonces.delete(code);
    if (faults.hangs === true) return;
    if (faults.tokenStatus !== undefined) return json(response, faults.tokenStatus, { message: 'broken' });
    if (nonce === undefined) return json(response, 400, { error: 'invalid_grant' });
    const standard = { iss: provider.issuer, aud: CLIENT_ID, iat: now(), exp: now() + 300, nonce };
    const id_token = await sign({ ...standard, ...claims });
    json(response, 200, { access_token: 'a', token_type: 'Bearer', id_token });
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', provider.issuer);
    requests.push(url.pathname);
    if (url.pathname === '/.well-known/openid-configuration') json(response, 200, metadata());
    else if (url.pathname === '/keys') json(response, 200, { keys: [jwk] });
    else if (url.pathname === '/token') void token(request, response);
    else json(response, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const metadata = () => ({
    issuer: provider.issuer,
    authorization_endpoint: `${provider.issuer}/authorize`,
    token_endpoint: `${provider.issuer}/token`,
    jwks_uri: `${provider.issuer}/keys`,
    end_session_endpoint: `${provider.issuer}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
  });

  const provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** What the next logins get. */
    says(next: Claims, wrong: Faults = {}): void {
      [claims, faults] = [next, wrong];
    },
    /** Logs in at the authorization endpoint. @returns the query of the redirect */
    authorize(url: string): { readonly state: string; readonly code: string } {
      const asked = new URL(url).searchParams;
      const code = `code-${nonces.size}-${Math.random()}`;
      nonces.set(code, asked.get('nonce') ?? '');
      return { state: asked.get('state') ?? '', code };
    },
    logoutToken: (payload: Claims): Promise<string> =>
      sign({
        iss: provider.issuer,
        aud: CLIENT_ID,
        iat: now(),
        jti: 'j',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...payload,
      }),
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return provider;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
