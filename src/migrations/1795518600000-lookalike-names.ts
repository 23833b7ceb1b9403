import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Letters of other scripts that look like Latin ones: capitals, which are compared before letter case is removed. */
export const CAPITALS = ['АВЕКМНОРСТУХІЈЅӀԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹİ', 'abekmhopctyxijslgqwabezhikmnoptyxci'] as const;
export const SMALL = ['аеорсухіјѕһӏԁԛԝгкαορντυικχγηωϲεıɑɡօսհո', 'aeopcyxijshldqwrkaopvtuikxynwceiagouhn'] as const;

/** Finds user names that look alike: `admin`, `ADMIN`, and `аdmin` with a Cyrillic а. */
export class LookalikeNames1795518600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function lookalike_key(name text) returns text language sql immutable strict parallel safe as $$
        select translate(lower(translate(normalize(name, NFKC), '${CAPITALS[0]}', '${CAPITALS[1]}')),
          '${SMALL[0]}', '${SMALL[1]}')
      $$;
      create index ix_app_user_username_lookalike on app_user (lookalike_key(username));`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index ix_app_user_username_lookalike; drop function lookalike_key(text);');
  }
}
