import { writeSync } from 'node:fs';
import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Extension } from '../../../src/extension.js';

/** Throws errors that no request handler can catch, and freezes. */
@Module({})
class FaultyModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(answer).forRoutes('/faulty/*path');
  }
}

function answer(request: Request, response: Response): void {
  const { pathname } = new URL(request.originalUrl, 'http://cairn');
  if (pathname === '/faulty/pid') response.end(String(process.pid));
  if (pathname === '/faulty/begun') response.write('begun');
  if (pathname === '/faulty/throw') {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
  }
  if (pathname === '/faulty/freeze') freeze();
  if (pathname === '/faulty/reject') void Promise.reject(new Error('nobody catches this'));
}

function freeze(): never {
  writeSync(2, 'freezing\n');
  for (;;);
}

export const extension: Extension = { name: 'faulty', module: FaultyModule };
