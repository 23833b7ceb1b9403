type Node = string | Map<string, Node>;

/** More levels than any form of the contract has. */
const MAX_DEPTH = 4;

/**
 * Reads the fields of a form as an object: `a[0]`, `a[1]` are list items in the order of their indexes, `a[0][1]` is an
 * item of a nested list, and `a.b` is a key of an object. Empty fields count as absent, because forms cannot express
 * null.
 */
export function readFormFields(fields: readonly (readonly [name: string, value: string])[]): Record<string, unknown> {
  const root = new Map<string, Node>();
  for (const [name, value] of fields) if (value !== '') put(root, pathOf(name), value);
  return Object.fromEntries([...root].map(([key, node]) => [key, plain(node)]));
}

/** `a[0].b` -> `a`, `[0]`, `b`: list indexes keep their brackets. */
function pathOf(name: string): string[] {
  const match = /^[^[\].]+((?:\[\d{1,9}\]|\.[^[\].]+)*)$/.exec(name);
  const parts = name.match(/\[\d{1,9}\]|[^[\].]+/g) ?? [];
  return match === null || parts.length > MAX_DEPTH ? [name] : parts;
}

function put(root: Map<string, Node>, path: readonly string[], value: string): void {
  const last = path.at(-1) ?? '';
  let node = root;
  for (const key of path.slice(0, -1)) {
    const inner = node.get(key);
    const next = inner instanceof Map ? inner : new Map<string, Node>();
    node.set(key, next);
    node = next;
  }
  node.set(last, value);
}

/** `[3]` -> 3 */
const indexOf = (key: string): number => Number(key.slice(1, -1));

function plain(node: Node): unknown {
  if (typeof node === 'string') return node;
  const entries = [...node];
  if (!entries.every(([key]) => key.startsWith('['))) {
    return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner)]));
  }
  return entries.toSorted(([a], [b]) => indexOf(a) - indexOf(b)).map(([, inner]) => plain(inner));
}
