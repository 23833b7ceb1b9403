import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds and counts the records of a person, an action or a project among millions. */
const INDEXES = ['user_name', 'scope', 'project_id'];

export class AuditIndexes1795662660000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const column of INDEXES)
      await runner.query(`create index ix_logged_event_audit_${column} on logged_event (${column}, id) where is_audit`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of INDEXES) await runner.query(`drop index ix_logged_event_audit_${column}`);
  }
}
