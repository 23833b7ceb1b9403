import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

/**
 * Lets a module contribute to a mechanism that does not know the module, with a decorator.
 *
 * The mechanism declares the decorator, which defines the type of the decorated method or class. On first use it asks
 * `Discovery` for everything that has the decorator:
 *
 *     export const OnDeleteOf = methodHook<string, (tx: Tx, cascade: Cascade) => Promise<void>>();
 *     const listeners = this.discovery.methods(OnDeleteOf);
 *
 * The module decorates a method, or a class, of any of its providers:
 *
 *     @OnDeleteOf('job') deleteIssues(tx: Tx, { ids, actor }: Cascade): Promise<void> { … }
 *
 * A method or class of the wrong type does not compile. No registration and no `onModuleInit` are needed. A constructor
 * is too early to ask: other providers do not exist yet. A global guard or interceptor with a decorator must be a
 * provider of its own (`useExisting`).
 */
@Injectable()
export class Discovery {
  private instances: readonly object[] | undefined;
  private readonly known = new Map<symbol, readonly Found<unknown, unknown>[]>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** Decorated methods of all providers, bound to their instances, in the order of modules and providers. */
  methods<Data, Method extends AnyMethod>(hook: MethodHook<Data, Method>): readonly Found<Data, Method>[] {
    return this.once(hook.key, (instance) => {
      const methods = Object.getPrototypeOf(instance) as Readonly<Record<string, Method>>;
      return this.scanner.getAllMethodNames(methods).flatMap((name) => {
        const call = ((...values: never[]) => (instance as typeof methods)[name]?.(...values)) as Method;
        return dataOf<Data>(hook.key, methods[name] ?? {}).map((data) => ({ data, found: call }));
      });
    });
  }

  /** Instances of decorated classes, in the order of modules and providers. */
  classes<Data, Instance extends object>(hook: ClassHook<Data, Instance>): readonly Found<Data, Instance>[] {
    return this.once(hook.key, (instance) =>
      dataOf<Data>(hook.key, instance.constructor).map((data) => ({ data, found: instance as Instance })),
    );
  }

  private once<Data, What>(
    key: symbol,
    findIn: (instance: object) => Found<Data, What>[],
  ): readonly Found<Data, What>[] {
    const known = this.known.get(key) ?? this.providers().flatMap(findIn);
    this.known.set(key, known);
    return known as readonly Found<Data, What>[];
  }

  /** Every provider once, even if it is provided under several tokens. */
  private providers(): readonly object[] {
    this.instances ??= [
      ...new Set(
        this.discovery.getProviders().flatMap(({ instance }) => {
          const provided: unknown = instance;
          return isInstance(provided) ? [provided] : [];
        }),
      ),
    ];
    return this.instances;
  }
}

export interface Found<Data, What> {
  /** The argument of the decorator. */
  readonly data: Data;
  readonly found: What;
}

type AnyMethod = (...values: never[]) => unknown;

export interface MethodHook<Data, Method extends AnyMethod> {
  (
    data: Data,
  ): <M extends Method>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<M>) => void;
  readonly key: symbol;
}

export interface ClassHook<Data, Instance> {
  (data: Data): (target: abstract new (...values: never[]) => Instance) => void;
  readonly key: symbol;
}

/** Creates a method decorator. One method may have it several times, with different data. */
export function methodHook<Data, Method extends AnyMethod>(): MethodHook<Data, Method> {
  const key = Symbol('method hook');
  const hook: MethodHook<Data, Method> = Object.assign(
    (data: Data) => (_target: object, _name: string | symbol, descriptor: { value?: Method }) =>
      mark(key, descriptor.value, data),
    { key },
  );
  return hook;
}

/** Creates a decorator for classes whose instances Nest provides. */
export function classHook<Data, Instance>(): ClassHook<Data, Instance> {
  const key = Symbol('class hook');
  return Object.assign((data: Data) => (target: object) => mark(key, target, data), { key });
}

/** Decorators run from the last to the first, so each is put before the existing ones. */
function mark(key: symbol, target: object | undefined, data: unknown): void {
  if (target !== undefined) Reflect.defineMetadata(key, [data, ...dataOf(key, target)], target);
}

const dataOf = <Data>(key: symbol, target: object): Data[] =>
  (Reflect.getOwnMetadata(key, target) as Data[] | undefined) ?? [];

/** Providers can also be plain values, which are skipped. */
const isInstance = (provided: unknown): provided is object =>
  typeof provided === 'object' &&
  provided !== null &&
  ![null, Object.prototype, Array.prototype].includes(Object.getPrototypeOf(provided) as object | null);
