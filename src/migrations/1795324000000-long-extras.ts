import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Very long parts of events are stored in a separate column, which only some readers need. */
export class LongExtras1795324000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox_event add column extras json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update outbox_event set after = json_build_object('object', after -> 'object',
        'extras', coalesce((after -> 'extras')::jsonb, '{}') || extras::jsonb)
      where extras is not null;
      alter table outbox_event drop column extras;`);
  }
}
