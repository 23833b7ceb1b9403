import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { AuthGuard } from '../../access/auth.guard.js';
import { identityOf } from '../../access/current-actor.decorator.js';
import { chooseVersion } from '../../versioning/version.guard.js';
import { ApiError, NotFound, Unauthenticated } from '../errors/errors.js';
import type { CairnAdapter } from './cairn-adapter.js';
import { RouteTable } from './route-table.js';

const NOT_FOUND_PAGE = `
<!doctype html>
<html lang="en">
<head>
  <title>Not Found</title>
</head>
<body>
  <h1>Not Found</h1><p>The requested resource was not found on this server.</p>
</body>
</html>
`;

/**
 * Sets `Allow` on every response of a known path, and handles what no route does: unknown paths, unsupported methods,
 * OPTIONS, and the path schemes of old servers.
 */
export function installFallback(app: NestExpressApplication, adapter: CairnAdapter): void {
  let table: RouteTable | undefined;
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!request.path.startsWith('/api/')) return next();
    table ??= RouteTable.of(adapter.allRouters);
    const methods = table.methods(request.path);
    if (methods === undefined) return respondNotFound(request, response);
    response.setHeader('Allow', methods.allow);
    if (methods.has(request.method)) return next();
    refuseMethod(app, request, response).then(
      (body) => adapter.reply(response, body, 200),
      (error: unknown) => {
        const known = error instanceof ApiError ? error : new ApiError(500, { detail: 'Internal server error.' });
        for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
        adapter.reply(response, known.body, known.status);
      },
    );
  });
}

function respondNotFound(request: Request, response: Response): void {
  const old = /^\/api\/(v1|v2)(\/|$)/.exec(request.path);
  if (old !== null) {
    const { status, body } = new NotFound(
      `The path scheme /api/${old[1]} is not served. Choose a version with the header "Accept: application/vnd.cvat+json; version=2.2".`,
    );
    response.status(status).setHeader('Content-Type', 'application/vnd.cvat+json');
    response.end(JSON.stringify(body));
    return;
  }
  response.status(404).setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(NOT_FOUND_PAGE);
}

/** Checks in the same order as routes: version, authentication, then the method. */
async function refuseMethod(app: NestExpressApplication, request: Request, response: Response): Promise<unknown> {
  chooseVersion(request);
  await app.get(AuthGuard).enter(request, response);
  if (identityOf(request) === undefined) throw new Unauthenticated();
  if (request.method !== 'OPTIONS') throw new ApiError(405, { detail: `Method "${request.method}" not allowed.` });
  return {
    name: request.path,
    description: '',
    renders: ['application/vnd.cvat+json'],
    parses: ['application/json'],
  };
}
