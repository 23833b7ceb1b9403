import type { Client } from 'pg';
import type { Config } from '../../config/config.js';
import { discoverProvider, otherIssuer, unknownOrganizations } from '../../modules/auth/index.js';
import { failure, type Finding, ok, reasonOf, warning } from './finding.js';

const SUBJECT = 'single sign-on';
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Checks whether the identity provider can be reached, and the settings that it must know. */
export async function checkSignOn({ signOn, publicUrl }: Config): Promise<Finding[]> {
  if (signOn.issuer === '') return [];
  const findings = [await checkDiscovery(signOn)];
  const { protocol, hostname } = new URL(signOn.issuer);
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    findings.push(warning(SUBJECT, 'OIDC_ISSUER uses HTTP, so logins can be intercepted', 'Use HTTPS.'));
  if (publicUrl === '') {
    const advice = 'Set PUBLIC_URL, and register it followed by /api/auth/oidc/callback at the provider.';
    findings.push(warning(SUBJECT, 'the redirect URI depends on the URL that users open', advice));
  } else findings.push(ok(SUBJECT, `the redirect URI is ${publicUrl}/api/auth/oidc/callback`));
  return findings;
}

/** Checks whether the organizations of OIDC_GROUPS and LDAP_GROUPS exist. */
export async function checkSignOnGroups(client: Client, config: Config): Promise<Finding[]> {
  const table = await client.query<{ there: boolean }>(`select to_regclass('organization') is not null as there`);
  if (table.rows[0]?.there !== true) return []; // before the first start
  const checked = await unknownOrganizations(config, async (slugs) => {
    const { rows } = await client.query<{ slug: string }>('select slug from organization where slug = any($1)', [
      slugs,
    ]);
    return rows;
  });
  const advice = 'Create them, or correct their short names. Until then, logins skip these rules.';
  return checked.map(({ setting, unknown }) =>
    unknown.length === 0
      ? ok(SUBJECT, `the organizations of ${setting} exist`)
      : warning(SUBJECT, `${setting} names organizations that do not exist: ${unknown.join(', ')}`, advice),
  );
}

async function checkDiscovery(signOn: Config['signOn']): Promise<Finding> {
  try {
    const provider = (await discoverProvider(signOn)).serverMetadata();
    if (provider.jwks_uri === undefined || provider.authorization_endpoint === undefined)
      return failure(SUBJECT, `${provider.issuer} is not an OpenID provider`, 'Correct OIDC_ISSUER.');
    const logout = provider.end_session_endpoint === undefined ? ', which ends no sessions at log-out' : '';
    return ok(SUBJECT, `found ${provider.issuer}${logout}`);
  } catch (error) {
    const issuer = otherIssuer(error);
    if (issuer !== null) return failure(SUBJECT, `the provider calls itself ${issuer}`, `Set OIDC_ISSUER=${issuer}.`);
    const { cause } = error as Error;
    const reason = cause instanceof Error ? `${reasonOf(error)}: ${reasonOf(cause)}` : reasonOf(error);
    const advice = 'Correct OIDC_ISSUER: its /.well-known/openid-configuration must be reachable from this machine.';
    return failure(SUBJECT, `${signOn.issuer} cannot be read (${reason})`, advice);
  }
}
