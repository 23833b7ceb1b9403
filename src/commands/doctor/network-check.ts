import { createServer } from 'node:net';
import { configuredUrl, type Config } from '../../config/config.js';
import { AddressGuard, type AddressGuardSettings } from '../../engines/sender/address-guard.js';
import { StartError, startProblem } from '../../start-error.js';
import { type Finding, ok, reasonOf, warning, failure } from './finding.js';

const RESPONSE_TIMEOUT_MS = 3_000;

/** Checks whether the server can listen at its address, or is already running there. */
export async function checkPort(config: Config): Promise<Finding> {
  const where = `${config.host}:${config.port}`;
  const error = await tryToListen(config.host, config.port);
  if (error === null) return ok('port', `${where} is free`);
  if (error.code === 'EADDRINUSE' && (await isCairn(config))) return ok('port', `Cairn runs on ${where}`);
  const problem = startProblem(error, config);
  return failure('port', problem instanceof StartError ? problem.message : reasonOf(error), 'See HOST and PORT.');
}

/** Warns about settings that are allowed but rarely intended. */
export function checkExposure(config: Config): Finding[] {
  const { publicUrl, cookieSecure, webhooks, remote } = config;
  const findings: Finding[] = [...checkLinks(config)];
  if (config.mail.host === '' && (config.emailVerification !== 'none' || config.registration === 'invited')) {
    const advice = 'Set SMTP_HOST, or send users the links from the log.';
    findings.push(warning('e-mail', 'new users need a link by e-mail, but no mail server is configured', advice));
  }
  if (publicUrl.startsWith('https:') && !cookieSecure) {
    const advice = 'Set COOKIE_SECURE=true.';
    findings.push(warning('cookies', 'sent over HTTP too, although PUBLIC_URL uses HTTPS', advice));
  }
  for (const [subject, setting, guard] of [
    ['webhooks', 'WEBHOOK_ALLOW', webhooks],
    ['other servers', 'REMOTE_ALLOW', remote],
  ] as const) {
    const problem = allowListProblem({ ...guard, setting });
    if (problem !== null) findings.push(failure(subject, problem, `Correct ${setting}.`));
  }
  if (webhooks.allowPrivate) {
    const advice = 'List the allowed addresses in WEBHOOK_ALLOW instead of setting WEBHOOK_ALLOW_PRIVATE=true.';
    findings.push(warning('webhooks', 'can be sent to any private address', advice));
  }
  return findings;
}

/** Links in e-mails are built only from the settings. */
function checkLinks(config: Config): Finding[] {
  if (config.publicUrl !== '') return [];
  const advice = 'Set PUBLIC_URL to the URL at which users reach the server.';
  const base = configuredUrl(config);
  if (base === null) return [warning('links in e-mails', 'cannot be built, so no e-mail is sent', advice)];
  return config.mail.host === '' ? [] : [warning('links in e-mails', `begin with ${base}`, advice)];
}

function allowListProblem(settings: AddressGuardSettings): string | null {
  try {
    void new AddressGuard(settings); // throws for values that it cannot parse
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

async function isCairn({ host, port }: Config): Promise<boolean> {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const name = reachable.includes(':') ? `[${reachable}]` : reachable;
  try {
    const response = await fetch(`http://${name}:${port}/api/server/about`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    return ((await response.json()) as { name?: unknown }).name === 'Cairn';
  } catch {
    return false; // another program is listening there
  }
}
