import '../runner/typescript-hooks.js';

/** Starts one database server for the whole run. Jest calls it only if a project that uses it has tests to run. */
// oxlint-disable-next-line import/no-default-export -- Jest asks for it
export default async function globalSetup() {
  const { startTestServer } = await import('./test-server.ts');
  globalThis.cairnTestServer = await startTestServer();
}
