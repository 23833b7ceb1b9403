import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexOf = (columns: readonly string[]): string => `
  do $$
  begin
    drop index if exists ix_task_search;
    create index ix_task_search on task using gin
      (${columns.map((column) => `${column} gin_trgm_ops`).join(', ')}) with (fastupdate = off);
  exception when undefined_object then
    raise warning 'Searches of tasks stay slow without the extension pg_trgm: %', sqlerrm;
  end $$;
`;

/**
 * The search index is over expressions that only searches use. As an index over the columns, the planner also used it
 * for equality, where it is slow for many matches although the planner's estimate says otherwise.
 */
export class SearchIndex1795311000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(indexOf(["(name || '')", "(subset || '')", "(bug_tracker || '')"]));
    await runner.query('analyze task');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(indexOf(['name', 'subset', 'bug_tracker']));
  }
}
