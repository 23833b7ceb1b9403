import { at, type Caller } from '../call.js';
import { fresh, PASSWORD } from '../world.js';

export const people: Record<string, Caller> = {
  'GET /api/users': at('/api/users'),
  'GET /api/users/self': at('/api/users/self'),
  'GET /api/users/{id}': ({ owner, stranger }) => [
    { path: `/api/users/${owner.id}` },
    { path: `/api/users/${stranger.id}` },
    { path: '/api/users/2000000000' },
  ],
  'POST /api/users': () => {
    const username = fresh('employee');
    return [
      { path: '/api/users', body: { username, email: `${username}@example.org`, groups: ['worker'] } },
      { path: '/api/users', body: { username: fresh('employee'), password: PASSWORD } },
    ];
  },
  'POST /api/users/{id}/password_reset': async ({ given }) => ({
    path: `/api/users/${(await given.person()).id}/password_reset`,
    body: { keep_access_tokens: true, show_link: true },
  }),
  'DELETE /api/users/{id}/sessions': async ({ given }) => ({
    path: `/api/users/${(await given.person()).id}/sessions`,
  }),
  'GET /api/users/{id}/access_tokens': async (world) => {
    await world.token(world.owner);
    return { path: `/api/users/${world.owner.id}/access_tokens` };
  },
  'DELETE /api/users/{id}/access_tokens/{token}': async (world) => ({
    path: `/api/users/${world.owner.id}/access_tokens/${(await world.token(world.owner)).id}`,
  }),
  'PATCH /api/users/{id}': (_, actor) => ({ path: `/api/users/${actor.id}`, body: { first_name: 'Other' } }),
  'DELETE /api/users/{id}': async ({ given }) => ({ path: `/api/users/${(await given.person()).id}` }),
  'GET /api/organizations': at('/api/organizations'),
  'POST /api/organizations': () => ({ path: '/api/organizations', body: { slug: fresh('org-'), contact: ['any'] } }),
  'GET /api/organizations/{id}': ({ organization }) => ({ path: `/api/organizations/${organization.id}` }),
  'PATCH /api/organizations/{id}': ({ organization }) => ({
    path: `/api/organizations/${organization.id}`,
    body: { contact: { email: 'a@example.org' } },
  }),
  'DELETE /api/organizations/{id}': async ({ given, owner }) => ({
    path: `/api/organizations/${(await given.organization(owner)).id}`,
  }),
  'POST /api/organizations/{id}/transfer': async (world) => {
    const { id, heir } = await world.inheritable();
    return { path: `/api/organizations/${id}/transfer`, body: { user_id: heir } };
  },
  'GET /api/memberships': at('/api/memberships'),
  'GET /api/memberships/{id}': ({ membershipId }) => ({ path: `/api/memberships/${membershipId}` }),
  'PATCH /api/memberships/{id}': ({ membershipId }) => ({
    path: `/api/memberships/${membershipId}`,
    body: { role: 'supervisor' },
  }),
  'DELETE /api/memberships/{id}': async (world) => ({ path: `/api/memberships/${await world.membership()}` }),
  'GET /api/invitations': at('/api/invitations'),
  'POST /api/invitations': async ({ given, organization }) => ({
    path: `/api/invitations?org=${organization.slug}`,
    body: { role: 'worker', email: `${(await given.person()).username}@example.org` },
  }),
  'GET /api/invitations/{key}': async (world) => ({ path: `/api/invitations/${await world.invitation()}` }),
  'PATCH /api/invitations/{key}': async (world) => {
    const { key, headers } = await world.invited();
    return [{ path: `/api/invitations/${key}?accepted` }, { path: `/api/invitations/${key}?accepted`, headers }];
  },
  'DELETE /api/invitations/{key}': async (world) => ({ path: `/api/invitations/${await world.invitation()}` }),
  'POST /api/invitations/{key}/accept': async (world) => {
    const { key, headers } = await world.invited();
    return [{ path: `/api/invitations/${key}/accept` }, { path: `/api/invitations/${key}/accept`, headers }];
  },
  'POST /api/invitations/{key}/decline': async (world) => {
    const { key, headers } = await world.invited();
    return [{ path: `/api/invitations/${key}/decline` }, { path: `/api/invitations/${key}/decline`, headers }];
  },
  'POST /api/invitations/{key}/resend': async (world) => ({
    path: `/api/invitations/${await world.invitation()}/resend`,
  }),
};
