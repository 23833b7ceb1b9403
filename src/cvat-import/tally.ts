import type { DumpRecord } from './dump-record.js';

export interface ModelTally {
  readonly model: string;
  found: number;
  /** With rows of their own, or as part of others. */
  coming: number;
  /** Records by the reason why they cannot come. */
  readonly leftOut: Map<string, number>;
  /** Records that come by what of them does not. */
  readonly remarks: Map<string, number>;
  /** Records by a field that is not known and was not read. */
  readonly unknownFields: Map<string, number>;
}

/** What a dump has, model by model in its order. */
export class Tally {
  private readonly byModel = new Map<string, ModelTally>();

  came(record: DumpRecord): void {
    const tally = this.of(record.model);
    tally.coming += 1;
    for (const remark of record.allRemarks()) increase(tally.remarks, remark);
    for (const field of record.unknownFields()) increase(tally.unknownFields, field);
  }

  leftOut(record: DumpRecord, reason: string): void {
    increase(this.of(record.model).leftOut, reason);
  }

  get models(): readonly ModelTally[] {
    return [...this.byModel.values()];
  }

  private of(model: string): ModelTally {
    const known = this.byModel.get(model);
    const tally = known ?? {
      model,
      found: 0,
      coming: 0,
      leftOut: new Map(),
      remarks: new Map(),
      unknownFields: new Map(),
    };
    if (known === undefined) this.byModel.set(model, tally);
    tally.found += 1;
    return tally;
  }
}

const increase = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
