// An extension for the chaos test: its listener stores the names of new tasks, and fails at some of them until they are
// retried. The table shows what was handled, and in which order.
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { Db, OnEvent, Public, sql } from 'cairn/extension';

export const LISTENER = 'chaos';

/** Whether the listener fails at the task with this name. */
export const isRefused = (name) => /^w\d+-\d*3$/.test(name);

class Chaos1795815400000 {
  async up(runner) {
    await runner.query('create table chaos_handled (number bigint generated always as identity, name text not null)');
  }

  async down(runner) {
    await runner.query('drop table chaos_handled');
  }
}

class ChaosListener {
  async onTask({ after }, tx, { isLate }) {
    const { name } = after.object;
    await tx.query(sql`insert into chaos_handled (name) values (${name})`);
    if (isRefused(name) && !isLate) throw new TypeError(`${name} is refused`);
  }
}

class ChaosController {
  constructor(db) {
    this.db = db;
  }

  async handled() {
    const rows = await this.db.query(sql`select name from chaos_handled order by number`);
    return rows.map(({ name }) => name);
  }
}

class ChaosModule {}

// What decorators do, without compiling this file.
const decorate = (decorator, { prototype }, name) =>
  decorator(prototype, name, Object.getOwnPropertyDescriptor(prototype, name));
decorate(OnEvent('create:task', { listener: LISTENER }), ChaosListener, 'onTask');
decorate(Get('handled'), ChaosController, 'handled');
decorate(Public(), ChaosController, 'handled');
Reflect.defineMetadata('design:paramtypes', [Db], ChaosController);
Injectable()(ChaosListener);
Controller('api/chaos')(ChaosController);
Module({ controllers: [ChaosController], providers: [ChaosListener] })(ChaosModule);

export const extension = { name: 'chaos', module: ChaosModule, migrations: [Chaos1795815400000] };
