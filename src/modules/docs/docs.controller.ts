import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param, Req, Res, Query } from '@nestjs/common';
import {
  ApiExcludeController,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public, Scope } from '../../core/access/scope.decorator.js';
import { NotFound, PlainError } from '../../core/http/errors/errors.js';
import { contentDisposition } from '../../core/http/response/content-disposition.js';
import { slashed } from '../../core/http/request/trailing-slash.js';
import { Unversioned } from '../../core/versioning/version.guard.js';
import { packageVersion } from '../../config/version.js';
import { CurrentActor } from '../../core/access/current-actor.decorator.js';
import type { Actor } from '../../shared/policy/actor.js';
import { LATEST_VERSION } from '../../core/versioning/accept.js';
import { API_TITLE, ApiDocument, type DocumentFormat, documentText } from './openapi/api-document.js';

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The files of the viewer, and their content types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const DAY_SECONDS = 86_400;

/** The API document in a viewer: `docs/` to read, `swagger/` to send requests. */
@ApiExcludeController()
@Controller('api')
@Unversioned()
export class DocsController {
  @Get(slashed('docs'))
  @Public()
  read(@Req() request: Request, @Res() response: Response): void {
    sendPage(request, response, 'read', 'assets/');
  }

  @Get(slashed('swagger'))
  @Public()
  try(@Req() request: Request, @Res() response: Response): void {
    sendPage(request, response, 'try', '../docs/assets/');
  }

  @Get('docs/assets/:name')
  @Public({ throttled: false })
  async asset(@Param('name') name: string, @Res() response: Response): Promise<void> {
    const content = name === 'viewer.js' ? VIEWER_SCRIPT : await viewerFile(name);
    response.setHeader('Content-Type', ASSETS[name] ?? 'text/javascript; charset=utf-8');
    response.setHeader('Cache-Control', `public, max-age=${DAY_SECONDS}`);
    response.end(content);
  }
}

async function viewerFile(name: string): Promise<Buffer> {
  if (!Object.hasOwn(ASSETS, name)) throw new NotFound();
  return readFile(join(folder, name));
}

function sendPage(request: Request, response: Response, kind: ViewerKind, assets: string): void {
  if (request.accepts('text/html') === false) {
    throw new PlainError(406, 'Could not satisfy the request Accept header.');
  }
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', VIEWER_POLICY);
  response.end(viewerPage(kind, assets, packageVersion()));
}

/** Redirects paths without their slash at the end. `/api/` itself links to the documents. */
@ApiExcludeController()
@Controller()
export class SlashController {
  @Get(['api', 'api/schema', 'api/swagger', 'api/docs', 'api/server/health'])
  @Public({ throttled: false })
  @Unversioned()
  addSlash(@Req() request: Request, @Res() response: Response): void {
    const query = request.originalUrl.slice(request.path.length);
    response.status(301).setHeader('Location', `${request.path}/${query}`);
    response.removeHeader('X-Request-Id');
    response.removeHeader('Content-Type');
    response.end();
  }

  @Get(slashed('api'))
  @Scope('server:view')
  index(@CurrentActor() { baseUrl }: Actor): Record<string, string> {
    return { docs: `${baseUrl}/api/docs/`, swagger: `${baseUrl}/api/swagger/`, schema: `${baseUrl}/api/schema/` };
  }
}

/** `read`: the API reference, which can send requests if the user is logged in. `try`: a console for all requests. */
type ViewerKind = 'read' | 'try';

const PAGES = { read: 'API reference', try: 'API console' } as const;

/**
 * The page of the viewer. It only loads files from this server: `assets` is their relative URL. The version in their URLs
 * lets browsers cache them until they change.
 */
const viewerPage = (kind: ViewerKind, assets: string, version: string): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Cairn: ${PAGES[kind]}</title>
  <link rel="icon" href="${assets}favicon-32x32.png?v=${version}">
  <link rel="stylesheet" href="${assets}swagger-ui.css?v=${version}">
</head>
<body>
  <noscript>This page needs JavaScript. The document itself is at <a href="../schema/">schema/</a>.</noscript>
  <main id="viewer" data-kind="${kind}"></main>
  <script src="${assets}swagger-ui-bundle.js?v=${version}"></script>
  <script src="${assets}viewer.js?v=${version}"></script>
</body>
</html>
`;

/** Forbids inline scripts and requests to other hosts. Swagger UI needs inline styles and data images. */
const VIEWER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Starts the viewer in the browser. Without a validator URL, Swagger UI does not load a badge from another host. */
const VIEWER_SCRIPT = `
const viewer = document.getElementById('viewer');
const isConsole = viewer.dataset.kind === 'try';
const csrfToken = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
const canTry = isConsole || csrfToken() !== null;

function withCsrfToken(request) {
  const token = csrfToken();
  const own = new URL(request.url, location.href).origin === location.origin;
  if (token !== null && own) request.headers['X-CSRFToken'] = token[1];
  return request;
}

SwaggerUIBundle({
  url: new URL('../schema/?scheme=json', location.href).href,
  domNode: viewer,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: isConsole ? 'list' : 'none',
  filter: true,
  defaultModelsExpandDepth: isConsole ? -1 : 1,
  supportedSubmitMethods: canTry ? ['get', 'put', 'post', 'delete', 'patch'] : [],
  validatorUrl: null,
  withCredentials: true,
  requestInterceptor: withCsrfToken,
});
`.trimStart();

/** The types that `Accept` can select, in order of preference. */
const TYPES: Readonly<Record<DocumentFormat, readonly string[]>> = {
  yaml: ['application/vnd.oai.openapi', 'application/yaml'],
  json: ['application/vnd.oai.openapi+json', 'application/json'],
};
const CONTENT = { schema: { type: 'object', additionalProperties: true } } as const;

@ApiTags('schema')
@Controller('api')
@Unversioned()
export class SchemaController {
  private readonly texts = new Map<DocumentFormat, string>();

  constructor(private readonly document: ApiDocument) {}

  @Get(slashed('schema'))
  @Public()
  @ApiOperation({
    summary: 'Get this document',
    description: '`scheme` selects the format. The default is that of `Accept`, otherwise YAML.',
  })
  @ApiQuery({ name: 'scheme', required: false, enum: ['json', 'yaml'] })
  @ApiOkResponse({
    description: 'The OpenAPI document',
    content: Object.fromEntries([...TYPES.yaml, ...TYPES.json].map((type) => [type, CONTENT])),
  })
  @ApiNotFoundResponse({ description: 'Unknown format', content: { 'application/vnd.oai.openapi': CONTENT } })
  schema(@Query('scheme') scheme: unknown, @Req() request: Request, @Res() response: Response): void {
    if (scheme !== undefined && scheme !== 'json' && scheme !== 'yaml') return refuse(response, 404, 'Not found.');
    const type = request.accepts(scheme === undefined ? [...TYPES.yaml, ...TYPES.json] : [...TYPES[scheme]]);
    if (type === false) return refuse(response, 406, 'Could not satisfy the request Accept header.');
    const format = TYPES.json.includes(type) ? 'json' : 'yaml';
    response.setHeader('Content-Type', format === 'yaml' ? `${type}; charset=utf-8` : type);
    const name = `${API_TITLE} (${LATEST_VERSION}).${format}`;
    response.setHeader('Content-Disposition', contentDisposition('inline', name));
    response.end(this.text(format));
  }

  private text(format: DocumentFormat): string {
    const known = this.texts.get(format) ?? documentText(this.document.get(), format);
    this.texts.set(format, known);
    return known;
  }
}

/** The errors of this route are also YAML. */
function refuse(response: Response, status: number, detail: string): void {
  response.status(status).setHeader('Content-Type', 'application/vnd.oai.openapi; charset=utf-8');
  response.end(`detail: ${detail}\n`);
}
