import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Db } from '../../../core/database/db.js';
import type { Sql } from '../../../engines/sql/sql.js';
import type { ImportedTokens } from '../tokens/imported-tokens.js';
import { AccountsRepository, fingerprint } from './accounts.repository.js';

/** A database whose statements the test answers. */
function fakeDatabase() {
  const statements: { readonly hashes: string[]; readonly answer: (username: string) => void }[] = [];
  let sent: () => void = () => undefined;
  const query = ({ values }: Sql): Promise<object[]> => {
    const hashes = values.find(Array.isArray) as string[];
    const rows = new Promise<object[]>((resolve) => {
      const answer = (username: string): void => resolve(hashes.map((key_hash) => ({ key_hash, username })));
      statements.push({ hashes, answer });
    });
    sent();
    return rows;
  };
  const nextStatement = (): Promise<void> => new Promise((resolve) => (sent = resolve));
  const accounts = new AccountsRepository({ query } as unknown as Db, { now: () => new Date() }, {
    adopt: () => Promise.resolve(false),
  } as unknown as ImportedTokens);
  return { accounts, statements, nextStatement };
}

describe('look-ups of credentials', () => {
  it('are collected while a statement is running, and use none that began before them', async () => {
    const { accounts, statements, nextStatement } = fakeDatabase();
    const first = accounts.byToken('a');
    await nextStatement();
    const later = [accounts.byToken('a'), accounts.byToken('b')];
    await turn();
    expect(statements).toHaveLength(1);
    const next = nextStatement();
    statements[0]?.answer('before');
    await next;
    expect(statements[1]?.hashes).toEqual([fingerprint('a'), fingerprint('b')]);
    statements[1]?.answer('after');
    expect(await first).toMatchObject({ username: 'before' });
    expect(await Promise.all(later)).toMatchObject([{ username: 'after' }, { username: 'after' }]);
  });

  it('do not wait for a statement that gets no response', async () => {
    const { accounts, statements, nextStatement } = fakeDatabase();
    void accounts.byToken('a');
    await nextStatement();
    const later = accounts.byToken('b');
    await nextStatement();
    statements[1]?.answer('found');
    expect(await later).toMatchObject({ username: 'found' });
  });
});
