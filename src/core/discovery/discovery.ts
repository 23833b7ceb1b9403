import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

/**
 * How a module contributes to a mechanism that does not know the module: with a decorator.
 *
 * The mechanism declares the decorator, which says what the decorated method or class must look like, and asks
 * `Discovery` for everything that carries it when it first needs to know:
 *
 *     export const OnDeleteOf = methodHook<string, (tx: Tx, cascade: Cascade) => Promise<void>>();
 *     const listeners = this.discovery.methods(OnDeleteOf);
 *
 * The module decorates a method, or a class, of any of its providers:
 *
 *     @OnDeleteOf('job') deleteIssues(tx: Tx, { ids, actor }: Cascade): Promise<void> { … }
 *
 * A method or class of the wrong shape does not compile. There is nothing to register, and no `onModuleInit`.
 * Asking in a constructor is too early: other providers do not exist yet. A global guard or interceptor that carries a
 * decorator must be a provider of its own (`useExisting`).
 */
@Injectable()
export class Discovery {
  private instances: readonly object[] | undefined;
  private readonly known = new Map<symbol, readonly Found<unknown, unknown>[]>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** Decorated methods of all providers, bound to their instance, in the order of modules and providers. */
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

  /** Every provider once, however many tokens it is provided under. */
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

/** A decorator of methods. One method may carry it several times, with different data. */
export function methodHook<Data, Method extends AnyMethod>(): MethodHook<Data, Method> {
  const key = Symbol('method hook');
  const hook: MethodHook<Data, Method> = Object.assign(
    (data: Data) => (_target: object, _name: string | symbol, descriptor: { value?: Method }) =>
      mark(key, descriptor.value, data),
    { key },
  );
  return hook;
}

/** A decorator of classes whose instances Nest provides. */
export function classHook<Data, Instance>(): ClassHook<Data, Instance> {
  const key = Symbol('class hook');
  return Object.assign((data: Data) => (target: object) => mark(key, target, data), { key });
}

/** Decorators run from the last to the first, so each goes before those that are there. */
function mark(key: symbol, target: object | undefined, data: unknown): void {
  if (target !== undefined) Reflect.defineMetadata(key, [data, ...dataOf(key, target)], target);
}

const dataOf = <Data>(key: symbol, target: object): Data[] =>
  (Reflect.getOwnMetadata(key, target) as Data[] | undefined) ?? [];

/** Providers can also be plain values, which are not asked. */
const isInstance = (provided: unknown): provided is object =>
  typeof provided === 'object' &&
  provided !== null &&
  ![null, Object.prototype, Array.prototype].includes(Object.getPrototypeOf(provided) as object | null);
