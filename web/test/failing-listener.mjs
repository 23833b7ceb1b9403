// An extension whose listener fails at every new project until the event is retried.
import { Injectable, Module } from '@nestjs/common';
import { OnEvent } from 'cairn/extension';

/** As often as the server tries it by itself. */
const FAILURES = 2;

class FailingListener {
  attempts = new Map();

  onProject({ id }) {
    const attempt = (this.attempts.get(id) ?? 0) + 1;
    this.attempts.set(id, attempt);
    if (attempt <= FAILURES) throw new TypeError('The inventory does not know this project');
  }
}

class FailingModule {}

// What decorators do, without compiling this file.
const { prototype } = FailingListener;
const method = Object.getOwnPropertyDescriptor(prototype, 'onProject');
OnEvent('create:project', { listener: 'inventory' })(prototype, 'onProject', method);
Injectable()(FailingListener);
Module({ providers: [FailingListener] })(FailingModule);

export const extension = { name: 'failing', module: FailingModule };
