import type { Router } from 'express';

export interface Methods {
  /** Value of the `Allow` header. */
  readonly allow: string;
  has(method: string): boolean;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

interface Layer {
  readonly route?: { readonly path: string | string[]; readonly methods: Readonly<Record<string, boolean>> };
}

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** The methods of each path, read from the routers once all routes are registered. */
export class RouteTable {
  private readonly bySize = new Map<number, Pattern[]>();
  private readonly cache = new Map<string, Methods>();

  static of(routers: readonly Router[]): RouteTable {
    const table = new RouteTable();
    for (const { route } of routers.flatMap(({ stack }) => stack as unknown as Layer[])) {
      if (route === undefined) continue;
      for (const path of [route.path].flat()) table.add(path, Object.keys(route.methods));
    }
    return table;
  }

  /** @returns undefined for an unknown path */
  methods(path: string): Methods | undefined {
    const segments = path.split('/');
    const matching = (this.bySize.get(segments.length) ?? []).filter((pattern) => matches(pattern.segments, segments));
    // Literal segments take precedence: `data/meta` over `data/:fileId`.
    const named = matching.map(({ segments: own }) => own.filter((segment) => !segment.startsWith(':')).length);
    const chosen = matching.filter((_, index) => named[index] === Math.max(...named));
    return chosen.length === 0 ? undefined : this.summary(chosen);
  }

  private summary(patterns: readonly Pattern[]): Methods {
    const key = patterns.map((pattern) => pattern.segments.join('/')).join(' ');
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const methods = new Set(patterns.flatMap((pattern) => [...pattern.methods]));
    const shown = new Set([...methods, 'OPTIONS', ...(methods.has('GET') ? ['HEAD'] : [])]);
    const summary = {
      allow: ORDER.filter((method) => shown.has(method)).join(', '),
      has: (method: string): boolean => methods.has(method) || (method === 'HEAD' && methods.has('GET')),
    };
    this.cache.set(key, summary);
    return summary;
  }

  private add(path: string, methods: readonly string[]): void {
    const segments = path.split('/');
    const patterns = this.bySize.get(segments.length) ?? [];
    this.bySize.set(segments.length, patterns);
    let pattern = patterns.find((known) => known.segments.join('/') === path);
    if (pattern === undefined) patterns.push((pattern = { segments, methods: new Set() }));
    for (const method of methods) pattern.methods.add(method.toUpperCase());
  }
}

const matches = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.every((segment, index) => (segment.startsWith(':') ? path[index] !== '' : segment === path[index]));
