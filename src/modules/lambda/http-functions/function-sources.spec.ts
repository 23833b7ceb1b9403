import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Config } from '../../../config/config.js';
import type { Logger } from '../../../core/logging/logger.js';
import type { FunctionClient } from './function-client.js';
import { FunctionSources } from './function-sources.js';

describe('FunctionSources', () => {
  let now: number;
  let asked: string[];
  let described: Map<string, string>;
  let sources: FunctionSources;

  beforeEach(() => {
    now = 0;
    asked = [];
    described = new Map([
      ['http://one/', 'cars'],
      ['http://two/', 'dogs'],
    ]);
    const client = {
      send: ({ url }: { url: string }) => {
        asked.push(url);
        return Promise.resolve([{ id: described.get(url), type: 'interactor' }]);
      },
    };
    sources = new FunctionSources(
      { functions: { urls: [...described.keys()], nuclioUrl: '' } } as unknown as Config,
      client as unknown as FunctionClient,
      { now: () => new Date(now) },
      { warn: () => undefined } as unknown as Logger,
    );
  });

  /** The sources that were asked to find a function after their descriptions were forgotten. */
  async function askedFor(id: string): Promise<{ found: string | undefined; of: string[] }> {
    now += 60_000;
    asked = [];
    return { found: (await sources.find(id))?.id, of: asked };
  }

  it('asks only the source of a function that is known', async () => {
    expect(await askedFor('dogs')).toEqual({ found: 'dogs', of: ['http://one/', 'http://two/'] });
    expect(await askedFor('dogs')).toEqual({ found: 'dogs', of: ['http://two/'] });
    expect(await askedFor('cars')).toEqual({ found: 'cars', of: ['http://one/'] });
  });

  it('asks all sources for a function that has left its source', async () => {
    await sources.find('dogs');
    described.set('http://one/', 'dogs').set('http://two/', 'cats');
    expect(await askedFor('dogs')).toEqual({ found: 'dogs', of: ['http://two/', 'http://one/'] });
    expect(await askedFor('dogs')).toEqual({ found: 'dogs', of: ['http://one/'] });
    expect((await askedFor('birds')).found).toBeUndefined();
  });
});
