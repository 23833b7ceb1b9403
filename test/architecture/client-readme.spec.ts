import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'clients/typescript');

/** Errors of the strict compiler for programs placed next to the client's sources. */
function problemsOf(programs: readonly string[]): string[] {
  const files = new Map(programs.map((text, index) => [join(CLIENT, `readme-${index}.ts`), text]));
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: {
      'cairn-client': [join(CLIENT, 'src/index.ts')],
      'cairn-client/webhooks': [join(CLIENT, 'src/webhooks.ts')],
    },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, language, ...more) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile(path, language, ...more) : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const found = [...files.keys()].flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the README of the client', () => {
  it('has programs that compile in strict mode as they are', () => {
    const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
    const programs = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
    expect(programs.length).toBeGreaterThan(0);
    expect(problemsOf(programs)).toEqual([]);
    expect(problemsOf(["import { createClient } from 'cairn-client';\ncreateClient(5);"])).toHaveLength(1);
  });
});
