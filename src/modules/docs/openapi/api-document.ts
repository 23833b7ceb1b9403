import { Injectable } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { stringify } from 'yaml';
import { LATEST_VERSION } from '../../../core/versioning/accept.js';
import { payloadClasses } from '../events/event-schemas.js';
import { completeDocument } from './complete-document.js';

export const API_TITLE = 'Cairn REST API';

type Application = Parameters<typeof SwaggerModule.createDocument>[0];

/** Builds the OpenAPI document of an application, which need not be initialised. */
export function describeApi(app: Application): OpenAPIObject {
  const builder = new DocumentBuilder();
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const base = builder
    .setTitle(API_TITLE)
    .setVersion(LATEST_VERSION)
    .setDescription(INTRODUCTION)
    .setLicense('Apache-2.0', '')
    .addServer('/')
    .addSecurity('token', {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: '`Token <key>`, with the key from the login response',
      'x-token-prefix': 'Token',
    })
    .addSecurity('session', {
      type: 'apiKey',
      in: 'cookie',
      name: 'sessionid',
      description:
        'The cookie that the login sets. Requests that change something must repeat the cookie csrftoken in X-CSRFToken.',
    })
    .addSecurity('basic', { type: 'http', scheme: 'basic' })
    .addSecurity('bearer', { type: 'http', scheme: 'bearer', description: 'A personal access token' })
    .build();
  return completeDocument(
    SwaggerModule.createDocument(app, base, { extraModels: payloadClasses(), autoTagControllers: false }),
  );
}

/** The document of the running application, built on first use. */
@Injectable()
export class ApiDocument {
  private built: OpenAPIObject | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly host: HttpAdapterHost,
  ) {}

  get(): OpenAPIObject {
    this.built ??= describeApi(this.application());
    return this.built;
  }

  /** The parts of an application that the scanner reads. A module cannot inject the application itself. */
  private application(): Application {
    const container = { getModules: () => this.modules };
    const parts = { container, config: new ApplicationConfig(), getHttpAdapter: () => this.host.httpAdapter };
    return parts as unknown as Application;
  }
}

/** The introduction to the document: the rules for all operations. */
const INTRODUCTION = `
Projects, tasks, jobs and annotations, and webhooks that notify you of changes.

### Versions
\`Accept: application/vnd.cvat+json; version=2.2\` selects the version of the response: \`2.0\`, \`2.1\` or \`2.2\`. The
default is 2.1, also for \`application/json\`. Other versions and types are rejected with 406 before any other check.
Versions only differ in responses. Version 2.1 has exactly the keys that CVAT's clients know. Version 2.2 adds Cairn's own keys
to webhooks and deliveries, and lists deliveries before their first attempt. In version 2.0, tasks embed their labels and
segments, projects and jobs embed their labels, later keys of tasks are absent, and webhooks have \`project\` instead of
\`project_id\`.

### Authentication
\`POST /api/auth/login\` returns a key for \`Authorization: Token <key>\` and sets a session cookie. With the cookie,
requests that change something need the header \`X-CSRFToken\` with the value of the cookie \`csrftoken\`. You can also use
Basic authentication and personal access tokens (\`Authorization: Bearer …\`). Invalid credentials are rejected on public
operations, too.

### Organizations
The query parameter \`org\` (slug), the query parameter \`org_id\` or the header \`X-Organization\` (slug) selects the
organization of a request. An empty value selects your personal space. Lists are limited to the organization, and new
objects belong to it. Without an organization, lists show everything that you can see.

### Lists
Lists are returned in pages: \`count\`, \`next\`, \`previous\`, \`results\`. The parameters \`page\`, \`page_size\`, \`sort\`,
\`search\` and \`filter\` (JSON Logic) work the same for all lists.

### Errors
A 400 response has the structure of the body, with the errors of each field: \`{"name": ["This field is required."]}\`. Other errors have a \`detail\`. Requests are
checked in this order: version (406), credentials (401), permission on the collection (403), the object (404), permission on
the object (403), the body (400). Every response has the header \`X-Request-Id\`, which is also in the server's log.
`.trim();

/** The tags of operations, in the order of the document. Tags of extensions follow. */
const TAGS: Readonly<Record<string, string>> = {
  projects: 'Groups of tasks that share labels, people and storages',
  tasks: 'Images, videos or point clouds with labels and annotations',
  jobs: 'Parts of tasks that people work on, with a stage and a state',
  consensus: 'Replicas of jobs: merging them, and the agreement between their annotators',
  labels: 'Classes of annotated objects, with attributes and skeletons',
  issues: 'Problems that reviewers report at a position in a frame',
  comments: 'Discussions of issues',
  quality: 'Comparison of annotations with ground truth',
  functions: 'Programs that annotate, and the queues of the agents that run them',
  lambda: 'Automatic annotation: calls of functions, and requests that annotate tasks and jobs',
  guides: 'Annotation guides of projects and tasks',
  assets: 'Images and documents of guides',
  webhooks: 'Subscriptions to events, and their deliveries',
  events: 'The same events as a stream',
  inspect: 'Receivers that store the requests of webhooks, to test them',
  requests: 'Background work: imports, exports and data processing',
  cloudstorages: 'Buckets that data is read from and exports are written to',
  organizations: 'Groups of people who share projects and tasks',
  memberships: 'Members of organizations, and their roles',
  invitations: 'Invitations to organizations',
  users: 'User accounts',
  auth: 'Login, passwords and access tokens',
  server: 'Information about this server',
  schema: 'API documents: OpenAPI, AsyncAPI and JSON Schema',
};

export type DocumentFormat = 'json' | 'yaml';

/** Formats a document as JSON with an indent of 4, or as YAML, with a line break at the end. */
export function documentText(document: object, format: DocumentFormat): string {
  return format === 'json'
    ? `${JSON.stringify(document, null, 4)}\n`
    : stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 });
}
