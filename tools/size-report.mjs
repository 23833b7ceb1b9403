// Lists files and functions that exceed the sizes in docs/conventions.md, section 4. This is a report, not a failing
// check.
//
//   npm run check:size
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const FILE_LINES = 300;
const SPEC_LINES = 400;
const FUNCTION_LINES = 40;
const CONSTRUCTOR_DEPENDENCIES = 6;

const sources = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('migrations'))
    .map((name) => join(root, folder, name));

const findings = ['src', 'test'].flatMap(sources).flatMap(report);
for (const finding of findings) console.log(finding);
console.log(findings.length === 0 ? 'Nothing is over size.' : `${findings.length} over size (not a failure).`);

function report(path) {
  const text = readFileSync(path, 'utf8');
  const name = relative(root, path);
  const isSpec = name.endsWith('.spec.ts');
  const limit = isSpec ? SPEC_LINES : FILE_LINES;
  const lines = text.trimEnd().split('\n').length;
  const found = lines > limit ? [`${name}: ${lines} lines (aim: ${limit})`] : [];
  if (isSpec) return found; // a describe block is one function
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  visit(source);
  return found;

  function visit(node) {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) found.push(...judge(node));
    ts.forEachChild(node, visit);
  }

  function judge(node) {
    const line = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
    const [first, last] = [line(node.getStart(source)), line(node.end)];
    const what = node.name?.getText(source) ?? (ts.isConstructorDeclaration(node) ? 'constructor' : 'function');
    const size = last - first + 1;
    const long = size > FUNCTION_LINES ? [`${name}:${first} ${what}: ${size} lines (aim: ${FUNCTION_LINES})`] : [];
    const needs = ts.isConstructorDeclaration(node) ? node.parameters.length : 0;
    const many =
      needs > CONSTRUCTOR_DEPENDENCIES
        ? [`${name}:${first} constructor: ${needs} dependencies (aim: ${CONSTRUCTOR_DEPENDENCIES})`]
        : [];
    return [...long, ...many];
  }
}
