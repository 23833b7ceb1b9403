import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { classHook, Discovery, methodHook } from './discovery.js';

const Doubles = methodHook<string, (value: number) => number>();
const Named = classHook<string, object>();

@Injectable()
@Named('first')
class First {
  private readonly factor = 2;

  @Doubles('a')
  @Doubles('b')
  double(value: number): number {
    return value * this.factor;
  }

  notDecorated(value: number): number {
    return value;
  }
}

@Injectable()
@Named('second')
@Named('second again')
class Second {
  @Doubles('c')
  add(value: number): number {
    return value + value;
  }
}

@Module({
  imports: [DiscoveryModule],
  providers: [Discovery, First, Second, { provide: 'alias', useExisting: First }, { provide: 'value', useValue: 5 }],
})
class TestModule {
  constructor(readonly discovery: Discovery) {}
}

describe('Discovery', () => {
  it('finds decorated methods and classes of providers in order, each once', async () => {
    const app = await NestFactory.createApplicationContext(TestModule, { logger: false });
    const discovery = app.get(Discovery);
    const methods = discovery.methods(Doubles);
    expect(methods.map(({ data }) => data)).toEqual(['a', 'b', 'c']);
    expect(methods.map(({ found }) => found(3))).toEqual([6, 6, 6]);
    const classes = discovery.classes(Named);
    expect(classes.map(({ data }) => data)).toEqual(['first', 'second', 'second again']);
    expect(classes.map(({ found }) => found)).toEqual([app.get(First), app.get(Second), app.get(Second)]);
    await app.close();
  });

  it('does not compile for methods of another type', () => {
    class Wrong {
      // @ts-expect-error: takes a text
      @Doubles('d')
      double(value: string): string {
        return value;
      }
    }
    expect(Wrong).toBeDefined();
  });
});
