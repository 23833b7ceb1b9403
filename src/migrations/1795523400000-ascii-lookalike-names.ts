import { CAPITALS, SMALL } from './1795518600000-lookalike-names.js';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds user names that differ only in ASCII characters that look alike (Unicode UTS 39: I, l, 1, | and O, 0). They are
 * replaced before letter case is removed, since i and l do not look alike.
 */
export class AsciiLookalikeNames1795523400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function ascii_lookalike_key(name text) returns text language sql immutable strict parallel safe as $$
        select translate(lower(translate(normalize(name, NFKC), 'I1|0${CAPITALS[0]}', 'lllo${CAPITALS[1]}')),
          '${SMALL[0]}', '${SMALL[1]}')
      $$;
      create index ix_app_user_username_ascii_lookalike on app_user (ascii_lookalike_key(username));`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index ix_app_user_username_ascii_lookalike; drop function ascii_lookalike_key(text);');
  }
}
