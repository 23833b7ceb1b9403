/** A body that is not valid annotations; `errors` is the JSON of the 400 response. */
export class AnnotationInvalid extends Error {
  constructor(public readonly errors: unknown) {
    super('The annotations are not valid');
    this.name = 'AnnotationInvalid';
  }
}

/** Limits the number of faulty objects and numbers reported for one body. */
const MAX_FAULTS = 1_000;

/** The number of errors that can still be reported for one body. */
export interface FaultBudget {
  left: number;
}

export const newFaultBudget = (): FaultBudget => ({ left: MAX_FAULTS });

/** Collects the errors of one JSON object; the result mirrors the object: field -> error. */
export class FieldErrors {
  private found: Record<string, unknown> | undefined;

  /** @param budget shared by all collectors of one body */
  constructor(readonly budget: FaultBudget = newFaultBudget()) {}

  add(field: string, error: unknown): void {
    this.found ??= {};
    this.found[field] ??= error;
  }

  get any(): boolean {
    return this.found !== undefined;
  }

  has(field: string): boolean {
    return this.found !== undefined && field in this.found;
  }

  /** @returns the collected errors, and resets the collector for the next object */
  take(): Record<string, unknown> | undefined {
    const found = this.found;
    this.found = undefined;
    return found;
  }
}
