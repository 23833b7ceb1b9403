// Writes the types of the TypeScript client from openapi.json: schema.ts, with responses in the newest API version, and
// events.ts, with webhook payloads. `--check` checks that they are up to date. The check needs no installed packages,
// because schema.ts names the document it was generated from. If the generator is installed (npm ci in
// clients/typescript), it compares the whole file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'clients', 'typescript');
const document = join(root, 'openapi.json');
const file = join(folder, 'src', 'schema.ts');
const eventsFile = join(folder, 'src', 'events.ts');
const generator = join(folder, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');

const digest = createHash('sha256').update(readFileSync(document)).digest('hex');
const heading = `// Made by "npm run openapi:client" of openapi.json, SHA-256 ${digest}\n`;

if (!process.argv.includes('--check')) {
  if (!existsSync(generator)) run('npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(file, generated());
  writeFileSync(eventsFile, events());
} else if (!isFresh() || readFileSync(eventsFile, 'utf8') !== events()) {
  console.error(
    'schema.ts or events.ts of clients/typescript/src is not made of openapi.json: run "npm run openapi:client" and commit it.',
  );
  process.exit(1);
}

function isFresh() {
  const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return existsSync(generator) ? present === generated() : present.startsWith(heading);
}

function generated() {
  // A field with a default may still be omitted from a body.
  return heading + run(process.execPath, [generator, '--default-non-nullable', 'false'], documentOfNewestVersion());
}

/** The document with one type for each response: that of the newest version, which the client requests. */
function documentOfNewestVersion() {
  const api = JSON.parse(readFileSync(document, 'utf8'));
  const newest = `application/vnd.cvat+json; version=${api.info.version}`;
  for (const response of Object.values(api.paths).flatMap(responsesOf)) {
    const answer = response.content?.[newest];
    if (answer !== undefined) response.content = { 'application/vnd.cvat+json': answer };
  }
  return JSON.stringify(api);
}

function responsesOf(path) {
  return Object.values(path).flatMap((operation) => Object.values(operation.responses ?? {}));
}

/** The payload of every event, by API version and name. */
function events() {
  const webhooks = Object.entries(JSON.parse(readFileSync(document, 'utf8'))['x-webhooks']);
  const versions = [...new Set(webhooks.flatMap(([, { post }]) => Object.keys(post['x-versions'])))].sort();
  const typeOf = (reference) => `Schemas['${reference.split('/').at(-1)}']`;
  const members = (version) =>
    webhooks.map(
      ([event, { post }]) =>
        `    /** ${post.summary}. */\n    ${key(event)}: ${typeOf(post['x-versions'][version])};\n`,
    );
  const maps = versions.map((version) => `  '${version}': {\n${members(version).join('')}  };\n`);
  return `// Made by "npm run openapi:client" of the part x-webhooks of openapi.json.
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** What webhooks send, by the API version of the webhook (\`api_version\`) and the name of the event. */
export interface WebhookPayloads {
${maps.join('')}}
`;
}

function key(event) {
  return /^\w+$/.test(event) ? event : `'${event}'`;
}

function run(program, parameters, input) {
  const result = spawnSync(program, parameters, { cwd: folder, input, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  if (result.status === 0) return result.stdout;
  process.stderr.write(result.stderr);
  process.exit(1);
}
