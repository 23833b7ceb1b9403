import { writeSync } from 'node:fs';
import { Injectable, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type EventMap, type Extension, OnEvent } from '../../../src/extension.js';

/** Causes errors that no caller can catch, at events whose object ids say how. */
@Injectable()
class FaultyListener {
  @OnEvent('create:project', { listener: 'faulty' })
  onProject({ objectId }: EventMap['create:project']): void {
    if (objectId === 'throws in a timer') setTimeout(fail, 10);
    if (objectId === 'throws at once') setImmediate(fail);
    if (objectId === 'rejects') void Promise.reject(new Error('nobody catches this'));
  }
}

/** Throws errors that no request handler can catch, and freezes. */
@Module({ providers: [FaultyListener] })
class FaultyModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(answer).forRoutes('/faulty/*path');
  }
}

function answer(request: Request, response: Response): void {
  const { pathname } = new URL(request.originalUrl, 'http://cairn');
  if (pathname === '/faulty/pid') response.end(String(process.pid));
  if (pathname === '/faulty/begun') response.write('begun');
  if (pathname === '/faulty/throw') setImmediate(fail);
  if (pathname === '/faulty/freeze') freeze();
  if (pathname === '/faulty/reject') void Promise.reject(new Error('nobody catches this'));
}

function fail(): never {
  throw new Error('nobody catches this');
}

function freeze(): never {
  writeSync(2, 'freezing\n');
  for (;;);
}

export const extension: Extension = { name: 'faulty', module: FaultyModule };
