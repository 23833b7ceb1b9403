import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which agent holds a request, when it was last seen, and which streams are open. `function_agent` is logged from now on:
 * after a crash of the database, agents with a stream would otherwise count as gone.
 */
export class AgentsThatAreGone1795700100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table annotation_request
        add column agent_client text,
        add column agent_seen_date timestamptz,
        add column agent_streamed boolean not null default false;
      create index ix_annotation_request_client on annotation_request (agent_client)
        where status in ('queued', 'started');
      alter table function_agent
        add column user_id integer,
        add column client text,
        add column holder integer,
        add column opened_date timestamptz;
      alter table function_agent set logged`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table function_agent set unlogged;
      alter table function_agent
        drop column opened_date, drop column holder, drop column client, drop column user_id;
      drop index ix_annotation_request_client;
      alter table annotation_request
        drop column agent_streamed, drop column agent_seen_date, drop column agent_client`);
  }
}
