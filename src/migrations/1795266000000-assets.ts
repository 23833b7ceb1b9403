import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of guides. */
export class Assets1795266000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table asset (
        uuid uuid not null,
        filename text not null,
        guide_id integer not null,
        owner_id integer,
        created_date timestamptz not null,
        constraint pk_asset primary key (uuid),
        constraint fk_asset_guide_id foreign key (guide_id) references guide(id) on delete cascade,
        constraint fk_asset_owner_id foreign key (owner_id) references app_user(id) on delete set null
      );
      create index ix_asset_guide_id on asset (guide_id);
      create index ix_asset_owner_id on asset (owner_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table asset');
  }
}
