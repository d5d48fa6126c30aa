// A certified OpenID Connect provider for tests: node provider.mjs FOLDER PORT SERVICE
// FOLDER has node_modules with oidc-provider; SERVICE is the address of the service whose client it is.
import { pathToFileURL } from 'node:url';

const [folder, port, service] = process.argv.slice(2);
const module = pathToFileURL(`${folder}/node_modules/oidc-provider/lib/index.js`);
const { default: Provider } = await import(module);

const issuer = `http://127.0.0.1:${port}`;
const API = 'urn:edgar-search:api';

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'pages',
      client_secret: 'a+b:c%d',
      redirect_uris: [`${service}/sign-in/callback`],
      post_logout_redirect_uris: [`${service}/`],
      backchannel_logout_uri: `${service}/sign-out/backchannel`,
      backchannel_logout_session_required: true,
      userinfo_signed_response_alg: 'RS256',
      grant_types: ['authorization_code', 'client_credentials'],
      response_types: ['code'],
    },
    {
      client_id: 'machine',
      client_secret: 'machine',
      redirect_uris: [],
      grant_types: ['client_credentials'],
      response_types: [],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (ctx, sub) => ({
    accountId: sub,
    claims: () => ({ sub, name: `${sub} Example`, email: `${sub}@example.com`, email_verified: true }),
  }),
  features: {
    clientCredentials: { enabled: true },
    backchannelLogout: { enabled: true },
    jwtUserinfo: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      getResourceServerInfo: () => ({ scope: 'read', audience: API, accessTokenFormat: 'jwt' }),
    },
  },
  // The service is on this machine; else the provider asks no such address.
  fetch: (url, { dispatcher, ...options }) => globalThis.fetch(url, options),
  cookies: { keys: ['a key of the tests'] },
  pkce: { required: () => true },
  ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
});

// What it logs is for whoever reads a test that failed.
for (const event of ['server_error', 'grant.error', 'authorization.error', 'backchannel.error']) {
  provider.on(event, (...values) => console.error(event, values.at(-1), values[1]));
}
provider.listen(Number(port), '127.0.0.1');
