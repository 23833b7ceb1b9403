/** `read`: the API reference, which can send requests if the user is logged in. `try`: a console for all requests. */
export type ViewerKind = 'read' | 'try';

const PAGES = { read: 'API reference', try: 'API console' } as const;

/**
 * The page of the viewer. It only loads files from this server: `assets` is their relative URL. The version in their URLs
 * lets browsers cache them until they change.
 */
export const viewerPage = (kind: ViewerKind, assets: string, version: string): string => `<!doctype html>
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
export const VIEWER_POLICY = [
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
export const VIEWER_SCRIPT = `
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
