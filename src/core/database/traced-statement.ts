import { type Attributes, SpanKind, tracedStep } from '../../engines/tracing/tracing.js';

const MAX_TEXT = 4_000;
const MAX_KNOWN = 2_000;
/** What spans say about statements, by their text. Statements are few, and the same ones run again and again. */
const descriptions = new Map<string, Description>();

interface Description {
  readonly summary: string;
  readonly attributes: Attributes;
}

/** Runs a statement in a span. Its text has no values, which are always parameters. */
export function tracedStatement<T>(text: string, run: () => Promise<T>): Promise<T> {
  const { summary, attributes } = describe(text);
  return tracedStep(summary, SpanKind.CLIENT, attributes, run);
}

function describe(text: string): Description {
  const known = descriptions.get(text);
  if (known !== undefined) return known;
  const summary = statementSummary(text);
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': summary,
    'db.query.text': text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT),
  };
  const description = { summary, attributes };
  if (descriptions.size < MAX_KNOWN) descriptions.set(text, description);
  return description;
}

/** What a statement does and its first table: `select task`. A change inside of a CTE takes precedence over a query. */
export function statementSummary(text: string): string {
  const [, insert] = /\binsert\s+into\s+(\w+)/i.exec(text) ?? [];
  const [, update] = /\b(?<!for\s+(?:no\s+key\s+)?|do\s+)update\s+(?!set\b|skip\b|of\b)(\w+)/i.exec(text) ?? [];
  const [, removal] = /\bdelete\s+from\s+(\w+)/i.exec(text) ?? [];
  if (insert !== undefined) return `insert ${insert}`;
  if (update !== undefined) return `update ${update}`;
  if (removal !== undefined) return `delete ${removal}`;
  const [, table] = /\bfrom\s+(?!unnest|generate_series|rows\b|lateral)(\w+)(?!\w|\s*\()/i.exec(text) ?? [];
  const [, verb = 'statement'] = /^\s*(\w+)/.exec(text) ?? [];
  const operation = verb.toLowerCase() === 'with' ? 'select' : verb.toLowerCase();
  return table === undefined ? operation : `${operation} ${table}`;
}
