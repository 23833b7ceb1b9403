import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import {
  DescriptionInvalid,
  type FunctionDescription,
  readDescription,
} from '../../../engines/functions/description.js';
import { displayUrl } from '../../../engines/sender/download.js';
import { FunctionFailure } from '../function-failure.js';
import { FunctionClient } from './function-client.js';

/** An HTTP function and how to call it. */
export interface HttpFunction extends FunctionDescription {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long descriptions are remembered, also that a source cannot be reached. */
const REMEMBERED_MS = 10_000;
const DESCRIPTION_TIMEOUT_MS = 5_000;

/** What a source last described; null: it could not be reached. */
interface Known {
  readonly until: number;
  readonly functions: Promise<readonly HttpFunction[] | null>;
}

interface Source {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** @throws DescriptionInvalid */
  read(sent: unknown): unknown[];
  target(description: FunctionDescription, sent: unknown): Pick<HttpFunction, 'url' | 'headers'>;
}

/** Asks the servers of the settings for the functions that they have. */
@Injectable()
export class FunctionSources {
  private readonly sources: readonly Source[];
  private readonly known = new Map<Source, Known>();
  /** The sources of functions, by their ids. */
  private readonly homes = new Map<string, Source>();

  constructor(
    @Inject(CONFIG) { functions }: Config,
    private readonly client: FunctionClient,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.sources = [
      ...functions.urls.map(plainSource),
      ...(functions.nuclioUrl === '' ? [] : [nuclioSource(functions)]),
    ];
  }

  /**
   * The functions of all sources that can be reached. The first of two functions with the same id counts.
   * @returns also whether all sources could be reached
   */
  async list(): Promise<{ readonly functions: readonly HttpFunction[]; readonly isComplete: boolean }> {
    const lists = await Promise.all(this.sources.map((source) => this.of(source)));
    const functions = new Map<string, HttpFunction>();
    for (const [at, source] of this.sources.entries()) {
      for (const one of lists[at] ?? []) {
        if (functions.has(one.id)) continue;
        functions.set(one.id, one);
        this.homes.set(one.id, source);
      }
    }
    return { functions: [...functions.values()], isComplete: lists.every((list) => list !== null) };
  }

  /**
   * A function. Once it is known, only its own source is asked, so that calls do not wait for others that do not respond.
   * @returns undefined if there is none, or if it cannot be reached
   */
  async find(id: string): Promise<HttpFunction | undefined> {
    const home = this.homes.get(id);
    const own = home === undefined ? null : await this.of(home);
    const found = own?.find((one) => one.id === id);
    if (found !== undefined) return found;
    return (await this.list()).functions.find((one) => one.id === id);
  }

  private of(source: Source): Promise<readonly HttpFunction[] | null> {
    const now = this.clock.now().getTime();
    const known = this.known.get(source);
    if (known !== undefined && known.until > now) return known.functions;
    const functions = this.ask(source);
    this.known.set(source, { until: now + REMEMBERED_MS, functions });
    return functions;
  }

  private async ask(source: Source): Promise<readonly HttpFunction[] | null> {
    try {
      const { url, headers } = source;
      const response = await this.client.send({ url, headers, timeoutMs: DESCRIPTION_TIMEOUT_MS });
      return source.read(response).flatMap((sent) => this.described(source, sent));
    } catch (error) {
      if (error instanceof FunctionFailure) return null; // the client has logged it
      if (!(error instanceof DescriptionInvalid)) throw error;
      this.log.warn({ url: displayUrl(source.url) }, `the list of functions is not valid: ${error.message}`);
      return null;
    }
  }

  /** Functions whose description is not valid are left out. */
  private described(source: Source, sent: unknown): HttpFunction[] {
    try {
      const description = readDescription(sent);
      return [{ ...description, ...source.target(description, sent) }];
    } catch (error) {
      if (!(error instanceof DescriptionInvalid)) throw error;
      this.log.warn({ url: displayUrl(source.url) }, `a function is left out: ${error.message}`);
      return [];
    }
  }
}

/** A server that describes its functions in response to GET, and is called with POST. */
const plainSource = (url: string): Source => ({
  url,
  headers: {},
  read: (sent) => (Array.isArray(sent) ? (sent as unknown[]) : [sent]),
  target: (_, sent) => ({ url: ownUrl(url, (sent as Readonly<Record<string, unknown>>)['url']), headers: {} }),
});

/** The URL at which a function is called. It must be on the server that described it. */
function ownUrl(base: string, named: unknown): string {
  if (named === undefined || named === null) return base;
  if (typeof named !== 'string' || !URL.canParse(named, base)) throw new DescriptionInvalid('url is not a valid URL');
  const [own, target] = [new URL(base), new URL(named, base)];
  if (target.origin !== own.origin) throw new DescriptionInvalid('url names another server');
  target.username = own.username;
  target.password = own.password;
  return target.href;
}

function nuclioSource({ nuclioUrl, nuclioNamespace, nuclioInvoke, timeoutMs }: Config['functions']): Source {
  const headers = {
    'x-nuclio-project-name': 'cvat',
    'x-nuclio-function-namespace': nuclioNamespace,
    'x-nuclio-invoke-via': 'domain-name',
    'X-Nuclio-Invoke-Timeout': `${Math.ceil(timeoutMs / 1000)}s`,
  };
  return {
    url: `${nuclioUrl}/api/functions`,
    headers,
    read: (sent) => {
      if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return Object.values(sent);
      throw new DescriptionInvalid('it is not a JSON object');
    },
    target: ({ id }, sent) => {
      if (nuclioInvoke === 'direct') return { url: directUrl(nuclioUrl, sent), headers: {} };
      const invoke = { ...headers, 'x-nuclio-function-name': id, 'x-nuclio-path': '/' };
      return { url: `${nuclioUrl}/api/function_invocations`, headers: invoke };
    },
  };
}

/** The function's own port on the host of the dashboard. */
function directUrl(dashboard: string, sent: unknown): string {
  const { status } = sent as { readonly status?: { readonly httpPort?: unknown } };
  const port = Number(status?.httpPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new DescriptionInvalid('it has no HTTP port');
  return `http://${new URL(dashboard).hostname}:${port}/`;
}
