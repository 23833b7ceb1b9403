import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Injectable, Module } from '@nestjs/common';
import type { Extension } from '../../../src/extension.js';
import {
  declareRequestEvents,
  HandlesRequests,
  type RequestContext,
  type RequestHandler,
  ResultFiles,
} from '../../../src/modules/requests/index.js';
import { temporaryPath } from '../../../src/engines/media/temporary.js';

/** What a request of this type does. It leaves temporary files, as code does that a process never comes back from. */
@Injectable()
@HandlesRequests('import:memory')
@HandlesRequests('import:frozen')
@HandlesRequests('import:fine')
export class BurningHandler implements RequestHandler {
  readonly successTtlMs = 600_000;
  readonly failureTtlMs = 600_000;

  constructor(private readonly results: ResultFiles) {}

  async run(request: RequestContext): Promise<void> {
    const { notes, deed } = request.parameters as { readonly notes: string; readonly deed: string };
    appendFileSync(notes, `${request.signal.aborted ? 'undone' : 'begun'} ${process.pid}\n`);
    request.signal.throwIfAborted();
    await writeFile(await this.results.newPath(request, '.zip'), 'incomplete');
    await writeFile(temporaryPath(), 'incomplete');
    appendFileSync(notes, `written ${process.pid}\n`);
    if (deed === 'memory') await hoard();
    if (deed === 'frozen') for (;;);
  }
}

async function hoard(): Promise<void> {
  const kept: Buffer[] = [];
  for (;;) {
    kept.push(Buffer.alloc(2 ** 24, 1));
    await new Promise(setImmediate);
  }
}

declareRequestEvents(['import:memory', 'import:frozen', 'import:fine']);

@Module({ imports: [], providers: [BurningHandler, ResultFiles] })
class BurningModule {}

export const extension: Extension = { name: 'burning', module: BurningModule };
