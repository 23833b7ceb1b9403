import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PROMISED } from '../support/promised-revision.js';

const folder = join(import.meta.dirname, '..', '..', 'src', 'migrations');

/** What breaks statements of a version that still runs, and how to recognize it in SQL. */
const CONTRACTIONS: readonly (readonly [string, RegExp])[] = [
  ['drops a table or view', /\bdrop\s+(?:table|view|materialized\s+view)\b/i],
  ['drops a column', /\bdrop\s+column\b/i],
  ['renames something', /\brename\s+(?:to|column|constraint|value)\b/i],
  ['changes the type of a column', /\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b/i],
  ['makes a column mandatory', /\bset\s+not\s+null\b/i],
  ['adds a mandatory column without a default', /\badd\s+column\s+(?:if\s+not\s+exists\s+)?\w+[^,;`]*\bnot\s+null\b/i],
];
const WITH_DEFAULT = /\b(?:default|generated)\b/i;

/** `Unused since 0.2.0`: the version whose code no longer needs what the migration removes. */
const MARKER = /\bUnused since \d+\.\d+\.\d+\b/;

/** What a migration contracts without saying since when it is unused. */
function contractionsOf(source: string): string[] {
  if (MARKER.test(source)) return [];
  const up = source.split(/\basync down\b/)[0] ?? '';
  // Its own temporary tables are nobody else's.
  const temporary = [...up.matchAll(/create\s+temp(?:orary)?\s+table\s+(\w+)/gi)].map(([, name = '']) => name);
  const statements = temporary.reduce(
    (text, name) => text.replaceAll(new RegExp(`drop table ${name}\\b`, 'gi'), ''),
    up,
  );
  return CONTRACTIONS.flatMap(([what, pattern]) =>
    [...statements.matchAll(new RegExp(pattern, 'gi'))].some(
      ([found]) => !what.includes('without a default') || !WITH_DEFAULT.test(statementAround(statements, found)),
    )
      ? [what]
      : [],
  );
}

/** From the match to the end of its clause. */
const statementAround = (text: string, found: string): string =>
  text.slice(text.indexOf(found)).split(/[,;`]/)[0] ?? found;

describe('migrations', () => {
  const names = readdirSync(folder).filter((name) => Number(name.split('-')[0]) > PROMISED.migration);

  it('do not remove what the previous version still uses (docs/conventions.md)', () => {
    const found = names.flatMap((name) =>
      contractionsOf(readFileSync(join(folder, name), 'utf8')).map((what) => `${name} ${what}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['alter table job drop column stage', ['drops a column']],
    ['/** Unused since 0.3.0. */ alter table job drop column stage', []],
    ['alter table job rename column stage to phase', ['renames something']],
    ['drop table label', ['drops a table or view']],
    ['create temporary table old as select 1; drop table old', []],
    ['alter table job alter column stage type int', ['changes the type of a column']],
    ['alter table job alter column stage set not null', ['makes a column mandatory']],
    ['alter table job add column stage int not null', ['adds a mandatory column without a default']],
    ['alter table job add column stage int not null default 0', []],
    ['alter table job add column stage int', []],
    ['alter table job drop constraint positive', []],
    ['async up() { create table a (b int not null) } async down() { drop table a }', []],
  ])('in "%s", the check finds %j', (source, expected) => expect(contractionsOf(source)).toEqual(expected));
});
