// A real OpenID provider on the loopback interface, with the login pages that the library has for development.
import { Provider } from 'oidc-provider';

const PEOPLE = {
  ada: { email: 'ada@example.org', email_verified: true, given_name: 'Ada', groups: ['staff'] },
  mallory: { email: 'admin@localhost.localdomain', email_verified: false, given_name: 'Mallory', groups: [] },
};

/** @param redirectUri where the provider may send browsers after a login @param returnTo the same after a log-out */
export async function startProvider(port, { clientId, clientSecret, redirectUri, returnTo }) {
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [returnTo],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'preferred_username'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, ...PEOPLE[id] }),
    }),
  });
  const server = provider.listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}
