import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '../../support/given.js';
import { World } from '../openapi/world.js';

const DENIED = { detail: 'You do not have permission to perform this action.' };
const none = (model: string): object => ({ detail: `No ${model} matches the given query.` });

/** The responses that a stranger and an administrator get for a resource. */
interface Resource {
  /** Another account's object, which replaces `{id}` in paths. */
  readonly existing: (world: World) => Promise<string | number> | string | number;
  readonly missing: string;
  /** A stranger gets 404, as for a missing object, instead of 403. */
  readonly isHidden?: true;
  readonly notFound: object | string;
}

const NO_ID = '2000000000';

/** By the first path segment after `/api`. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  assets: { existing: (world) => world.asset(), missing: randomUUID(), notFound: none('Asset') },
  'auth/access_tokens': {
    existing: async (world) => (await world.token(world.owner)).id,
    missing: NO_ID,
    notFound: none('AccessToken'),
  },
  cloudstorages: { existing: (world) => world.cloudStorageId, missing: NO_ID, notFound: none('CloudStorage') },
  comments: { existing: async (world) => (await world.comment()).id, missing: NO_ID, notFound: none('Comment') },
  consensus: {
    existing: (world) => world.consensusSettings(),
    missing: NO_ID,
    notFound: none('ConsensusSettings'),
  },
  functions: { existing: (world) => world.functionId, missing: NO_ID, notFound: none('Function') },
  'functions/queues': {
    existing: (world) => `function:${world.functionId}`,
    missing: `function:${NO_ID}`,
    notFound: none('Function'),
  },
  guides: { existing: async (world) => (await world.guide()).id, missing: NO_ID, notFound: none('AnnotationGuide') },
  inspect: {
    existing: async (world) => (await world.owner.http.post('/api/inspect').send({})).body.id as string,
    missing: randomUUID(),
    notFound: none('InspectBox'),
  },
  invitations: {
    existing: (world) => world.invitation(),
    missing: 'nobody',
    isHidden: true,
    notFound: none('Invitation'),
  },
  issues: { existing: async (world) => (await world.issue()).id, missing: NO_ID, notFound: none('Issue') },
  jobs: { existing: (world) => world.jobId, missing: NO_ID, notFound: none('Job') },
  labels: { existing: (world) => world.labelId, missing: NO_ID, notFound: none('Label') },
  'lambda/requests': {
    existing: (world) => world.functionRequest(),
    missing: 'nothing',
    notFound: '"nothing lambda job is not found"',
  },
  memberships: { existing: (world) => world.membershipId, missing: NO_ID, notFound: none('Membership') },
  organizations: {
    existing: (world) => world.organization.id,
    missing: NO_ID,
    isHidden: true,
    notFound: none('Organization'),
  },
  projects: { existing: (world) => world.projectId, missing: NO_ID, notFound: none('Project') },
  'quality/reports': { existing: (world) => world.qualityReport(), missing: NO_ID, notFound: none('QualityReport') },
  'quality/settings': {
    existing: (world) => world.qualitySettings(),
    missing: NO_ID,
    notFound: none('QualitySettings'),
  },
  'quality/settings/requirements': {
    existing: (world) => world.qualitySettings(),
    missing: NO_ID,
    notFound: none('QualityRequirement'),
  },
  requests: {
    existing: (world) => world.queuedRequest(world.owner),
    missing: 'nothing',
    notFound: 'There is no request with specified id',
  },
  tasks: { existing: (world) => world.taskId, missing: NO_ID, notFound: none('Task') },
  users: { existing: (world) => world.owner.id, missing: NO_ID, notFound: none('User') },
  webhooks: { existing: (world) => world.webhookId, missing: NO_ID, notFound: none('Webhook') },
};

/** Paths without an object of a resource, or whose response does not depend on one. */
const OTHERS: readonly RegExp[] = [
  /^\S+ \/api\/webhooks\/events\//, // belongs to the server
  /^\S+ \/api\/(?:projects\/backup|tasks\/backup|tasks\/\{id\}\/data)\/\{fileId\}/, // belongs to whoever started the upload
  /^OPTIONS /, // open to everybody
  /^\S+ \/api\/lambda\/functions\//, // open to everybody; calls need the permission for a task
  /account-confirm-email/, // open to whoever has the key
  /\/download$/, // open to the requester of the export, see test/api/exchange
  /^GET \/api\/(?:projects|tasks|jobs)\/\{id\}\/(?:dataset|backup|annotations)$/, // 410, from an older API
];

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> };

const operations = Object.entries(paths)
  .flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => ({ verb: verb.toUpperCase(), path })))
  .filter(({ verb, path }) => path.includes('{') && verb !== 'PARAMETERS')
  .filter(({ verb, path }) => !OTHERS.some((other) => other.test(`${verb} ${path}`)));

const resourceOf = (path: string): string =>
  /^\/api\/(auth\/access_tokens|functions\/queues|quality\/settings\/requirements|quality\/[a-z]+|lambda\/[a-z]+|[a-z]+)/.exec(
    path,
  )?.[1] ?? '';

/** Whatever organization a request names, the object's own counts: none given, explicitly none, own, another. */
const NAMED = ['any', 'none', 'own', 'foreign'] as const;
type Named = (typeof NAMED)[number];

describe('forbidden and missing objects', () => {
  let world: World;
  let own: { slug: string };

  beforeAll(async () => {
    world = await World.create();
    own = await world.given.organization(world.stranger, []);
  });
  afterAll(() => world.close());

  const parametersOf = (named: Named): Readonly<Record<string, string>> =>
    named === 'any' ? {} : { org: { none: '', own: own.slug, foreign: world.organization.slug }[named] };

  async function ask(
    person: Person,
    verb: string,
    path: string,
    id: string | number,
    named: Named = 'any',
  ): Promise<unknown> {
    const address = path
      .replace(/\{(?:id|key|uuid|box|queue)\}/, String(id))
      .replace('{delivery}', String(world.deliveryId))
      .replace('{revision}', '1')
      .replace('{token}', '1')
      .replace('{fileId}', randomUUID())
      .replace('{request}', randomUUID())
      .replace(/(?<=^\/api\/invitations\/[^/]+)$/, '?accepted=true');
    const request = person.http[verb.toLowerCase() as 'get'](address).query(parametersOf(named)).set('Accept', '*/*');
    if (verb === 'HEAD') return (await request).status;
    if (path.endsWith('{fileId}')) void request.set('Content-Type', 'application/offset+octet-stream');
    const { status, body, text } = await request;
    return {
      status,
      body: typeof body === 'object' && Object.keys(body as object).length > 0 ? (body as object) : text,
    };
  }

  it.each(operations.map(({ verb, path }) => [verb, path]))('%s %s', async (verb = '', path = '') => {
    const resource = RESOURCES[resourceOf(path)];
    if (resource === undefined) throw new Error(`Which object is at ${path}?`);
    const existing = await resource.existing(world);
    const notFound = verb === 'HEAD' ? 404 : { status: 404, body: resource.notFound };
    const denied = verb === 'HEAD' ? 403 : { status: 403, body: DENIED };
    for (const named of NAMED)
      expect({
        named,
        foreign: await ask(world.stranger, verb, path, existing, named),
        missing: await ask(world.stranger, verb, path, resource.missing, named),
      }).toEqual({ named, foreign: resource.isHidden === true ? notFound : denied, missing: notFound });
    expect(await ask(world.admin, verb, path, resource.missing)).toEqual(notFound);
  });
});
