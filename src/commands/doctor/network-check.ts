import { configuredUrl, type Config } from '../../config/config.js';
import { AddressGuard, type AddressGuardSettings } from '../../engines/sender/address-guard.js';
import { portProblem } from '../../free-port.js';
import { StartError } from '../../start-error.js';
import { startProblem } from '../../start-problem.js';
import { type Finding, ok, reasonOf, warning, failure } from './finding.js';

const RESPONSE_TIMEOUT_MS = 3_000;

/** Checks whether the server can listen at its address, or is already running there. */
export async function checkPort(config: Config): Promise<Finding> {
  const where = `${config.host}:${config.port}`;
  const error = await portProblem(config.host, config.port);
  if (error === null) return ok('port', `${where} is free`);
  if (error.code === 'EADDRINUSE' && (await isCairn(config))) return ok('port', `Cairn runs on ${where}`);
  const problem = startProblem(error, config);
  return failure('port', problem instanceof StartError ? problem.message : reasonOf(error), 'See HOST and PORT.');
}

/** Checks the port for probes and metrics. @returns no findings if there is none */
export async function checkMonitoringPort({ host, port, monitoringPort }: Config): Promise<Finding[]> {
  if (monitoringPort === null) return [];
  const subject = 'monitoring port';
  const advice = 'Set MONITORING_PORT to another port.';
  if (monitoringPort === port && port !== 0) return [failure(subject, `is the same as PORT (${port})`, advice)];
  const error = await portProblem(host, monitoringPort);
  if (error === null) return [ok(subject, `${host}:${monitoringPort} is free`)];
  if (error.code === 'EADDRINUSE' && (await isLive(host, monitoringPort)))
    return [ok(subject, `Cairn responds on ${host}:${monitoringPort}`)];
  return [failure(subject, `${host}:${monitoringPort} cannot be used: ${reasonOf(error)}`, advice)];
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

async function isCairn({ host, port }: Config): Promise<boolean> {
  return (await jsonFrom(host, port, '/api/server/about'))['name'] === 'Cairn';
}

async function isLive(host: string, port: number): Promise<boolean> {
  return (await jsonFrom(host, port, '/live'))['status'] === 'live';
}

/** A JSON object from this machine; empty if another program is listening there. */
async function jsonFrom(host: string, port: number, path: string): Promise<Readonly<Record<string, unknown>>> {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const name = reachable.includes(':') ? `[${reachable}]` : reachable;
  try {
    const response = await fetch(`http://${name}:${port}${path}`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    return Object(await response.json()) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
