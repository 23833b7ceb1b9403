import { Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import type { LabelMapping } from './label-mapping.js';

type Remap = (tx: Tx, taskId: number, mapping: LabelMapping) => Promise<void>;

/** Whoever keeps label ids for a task (annotations) changes them when the task moves to other labels. */
@Injectable()
export class LabelRemapping {
  private readonly listeners: Remap[] = [];

  on(listener: Remap): void {
    this.listeners.push(listener);
  }

  async run(tx: Tx, taskId: number, mapping: LabelMapping): Promise<void> {
    for (const listener of this.listeners) await listener(tx, taskId, mapping);
  }
}
