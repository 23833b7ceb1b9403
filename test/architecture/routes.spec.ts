import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module.js';
import { readConfig } from '../../src/config/env.js';
import { PUBLIC, SCOPE } from '../../src/core/access/scope.decorator.js';
import { createLogger } from '../../src/core/logging/logger.js';

interface Route {
  readonly name: string;
  readonly targets: readonly object[];
}

/** Handlers of all controllers, found without starting the application. */
async function routes(): Promise<Route[]> {
  const module = AppModule.of(readConfig({}), createLogger('silent'));
  const app = await NestFactory.create(module, { preview: true, logger: false });
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap(({ controllers: known }) => [...known.values()].map(({ metatype }) => metatype));
  return controllers.flatMap((controller) => {
    const prototype = (controller as { prototype: Record<string, unknown> }).prototype;
    const handlers = Object.getOwnPropertyNames(prototype).filter(
      (name) => name !== 'constructor' && isHandler(prototype[name]),
    );
    return handlers.map((name) => ({
      name: `${(controller as { name: string }).name}.${name}`,
      targets: [prototype[name] as object, controller as object],
    }));
  });
}

const isHandler = (value: unknown): boolean => typeof value === 'function' && Reflect.hasMetadata('path', value);

describe('routes', () => {
  let all: Route[];

  beforeAll(async () => {
    all = await routes();
  });

  it('are found', () => {
    expect(all.map((route) => route.name)).toEqual(expect.arrayContaining(['TaskController.create']));
  });

  it('declare the permission they need, or that they are public', () => {
    const silent = all.filter(
      ({ targets }) =>
        !targets.some((target) => Reflect.hasMetadata(SCOPE, target) || Reflect.hasMetadata(PUBLIC, target)),
    );
    expect(silent.map((route) => route.name)).toEqual([]);
  });
});
