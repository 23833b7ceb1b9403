import { HttpService } from '@nestjs/axios';
import type { Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { createLogger } from '../../core/logging/logger.js';
import { RemoteAgents } from '../../core/remote/remote-agents.js';
import { FunctionClient } from '../../modules/lambda/http-functions/function-client.js';
import { FunctionSources } from '../../modules/lambda/http-functions/function-sources.js';
import { type Finding, ok, reasonOf, warning } from './finding.js';

const COLLECTOR_TIMEOUT_MS = 3_000;

/** A line of the log, as far as it concerns functions. */
interface LogLine {
  readonly msg: string;
  readonly url?: string;
  readonly err?: { readonly message: string };
}

/** Asks the servers of FUNCTIONS_URLS and NUCLIO_URL for their functions. @returns no findings if there are none */
export async function checkFunctions(config: Config): Promise<Finding[]> {
  const { urls, nuclioUrl } = config.functions;
  if (urls.length === 0 && nuclioUrl === '') return [];
  const problems: LogLine[] = [];
  const log = createLogger('warn', { write: (line) => problems.push(JSON.parse(line) as LogLine) });
  const agents = new RemoteAgents(config);
  try {
    const client = new FunctionClient(config, new HttpService(), agents, log);
    const { functions } = await new FunctionSources(config, client, new Clock(), log).list();
    const names = functions.map(({ id }) => id).join(', ');
    const advice =
      'Start the server of the function, correct FUNCTIONS_URLS or NUCLIO_URL, or allow it in REMOTE_ALLOW.';
    return [
      ...problems.map(({ url, err, msg }) => warning('functions', `${url}: ${err?.message ?? msg}`, advice)),
      ...(functions.length > 0 ? [ok('functions', names)] : []),
    ];
  } finally {
    agents.onApplicationShutdown();
  }
}

/** Sends an empty export to the collector. @returns no findings if traces are not exported */
export async function checkTracing({ tracing }: Config): Promise<Finding[]> {
  if (tracing === null) return [];
  const isJson = tracing.protocol === 'http/json';
  const advice =
    'Start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT. Cairn works without it, but exports no traces.';
  try {
    const response = await fetch(tracing.url, {
      method: 'POST',
      headers: { 'Content-Type': isJson ? 'application/json' : 'application/x-protobuf' },
      body: isJson ? '{"resourceSpans":[]}' : new Uint8Array(), // an empty message
      signal: AbortSignal.timeout(COLLECTOR_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return [ok('traces', `${tracing.url} accepts them`)];
    const text = `${tracing.url} responds with ${response.status}`;
    const needsCredentials = response.status === 401 || response.status === 403;
    const headers = 'Set its credentials in OTEL_EXPORTER_OTLP_HEADERS. This check does not send them.';
    return [warning('traces', text, needsCredentials ? headers : advice)];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [warning('traces', `${tracing.url} cannot be reached: ${reasonOf(cause)}`, advice)];
  }
}
