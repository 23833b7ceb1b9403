import { CST, isMap, isNode, isPair, isScalar, isSeq, Lexer, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { type FileLocation, FormatError, refuse, shown } from './format.js';

/**
 * Limits that no description of a dataset reaches: 60,000 labels have 400,000 tokens. The parser keeps several objects for
 * each token, and calls itself for each level.
 */
const MAX_TOKENS = 400_000;
const MAX_NESTING = 64;
/** Of tags, anchors, directives and the like. */
const MAX_SPECIAL = 1000;

const SPECIAL: ReadonlySet<string | null> = new Set([
  'tag',
  'anchor',
  'alias',
  'directive-line',
  'doc-start',
  'doc-end',
]);
/** Tokens with which something begins on the same line. */
const OPENING: ReadonlySet<string | null> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind']);

/**
 * Reads YAML without aliases.
 * @throws FormatError if it is not YAML, has a key twice, or would take far more time or memory than its length explains
 */
export function readYaml(text: string, location: FileLocation): unknown {
  checkTokens(text, location);
  const lineCounter = new LineCounter();
  // The parser compares each key with all others, and copies lines for the message of each error.
  const options = { uniqueKeys: false, prettyErrors: false, lineCounter, logLevel: 'error' } as const;
  try {
    const document = parseDocument(text, options);
    const [error] = document.errors;
    if (error !== undefined) refuse(location, `the file is not YAML: ${describe(error, lineCounter)}`, error);
    requireUniqueKeys(document.contents, location);
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (error) {
    if (error instanceof FormatError) throw error;
    return refuse(location, `the file is not YAML: ${error instanceof Error ? error.message : ''}`, error);
  }
}

function describe({ message, pos }: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0]);
  return `${message} at line ${line}, column ${col}`;
}

function checkTokens(text: string, location: FileLocation): void {
  let [tokens, special, nesting, inLine] = [0, 0, 0, 0];
  let before: string | null = null;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'space') continue;
    if (type === 'flow-seq-start' || type === 'flow-map-start') nesting++;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') nesting--;
    else if (type === 'newline') inLine = 0;
    else if (OPENING.has(type)) inLine++;
    if (SPECIAL.has(type)) special++;
    if (type === 'comma' && before === 'comma')
      refuse(location, 'the file is not YAML: there is nothing between two commas');
    if (++tokens > MAX_TOKENS) refuse(location, `the file has more than ${MAX_TOKENS} words and marks`);
    if (special > MAX_SPECIAL) refuse(location, `the file has more than ${MAX_SPECIAL} tags, anchors or directives`);
    if (nesting > MAX_NESTING || (nesting === 0 && inLine > MAX_NESTING))
      refuse(location, `the file is nested more than ${MAX_NESTING} deep`);
    before = type;
  }
}

function requireUniqueKeys(node: unknown, location: FileLocation): void {
  if (isPair(node)) requireUniqueKeys(node.value, location);
  if (!isNode(node) || (!isMap(node) && !isSeq(node))) return;
  const keys = new Set<unknown>();
  for (const item of node.items) {
    requireUniqueKeys(item, location);
    if (!isPair(item) || !isScalar(item.key)) continue;
    if (keys.has(item.key.value)) refuse(location, `the key ${shown(String(item.key.value))} is there twice`);
    keys.add(item.key.value);
  }
}
