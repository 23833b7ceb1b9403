import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../../support/database.js';
import { query } from './scratch.js';

describe('createTestDatabase', () => {
  it('gives each caller its own database', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    await query(first.url, 'create table own as select 1');
    expect(await query(second.url, `select to_regclass('own') as found`)).toEqual([{ found: null }]);
    await Promise.all([first.drop(), second.drop()]);
    await expect(query(first.url, 'select 1')).rejects.toThrow(/does not exist/);
  });
});
