import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records where the files of the installation are, and where they are being moved. */
export class MediaPlaces1795674540000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table installation
        add column media_url text not null default '',
        add column media_target text,
        add column media_writes_target boolean not null default false`);
    await runner.query(
      `create table media_moved (folder text not null, constraint pk_media_moved primary key (folder))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table media_moved`);
    await runner.query(`
      alter table installation drop column media_url, drop column media_target, drop column media_writes_target`);
  }
}
