/** A body that is not valid annotations; `errors` is the JSON to answer with status 400. */
export class AnnotationInvalid extends Error {
  constructor(public readonly errors: unknown) {
    super('The annotations are not valid');
    this.name = 'AnnotationInvalid';
  }
}

/** Wrong objects and numbers of one body that are told of; what is wrong throughout is not answered at full length. */
const MOST_FAULTS = 1_000;

/** What may still be told of one body. */
export interface FaultBudget {
  left: number;
}

export const newFaultBudget = (): FaultBudget => ({ left: MOST_FAULTS });

/** Collects the errors of one JSON object; the result mirrors the object: field -> error. */
export class FieldErrors {
  private found: Record<string, unknown> | undefined;

  /** @param budget of all collectors of one body */
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

  /** @returns what was collected, and starts over for the next object */
  take(): Record<string, unknown> | undefined {
    const found = this.found;
    this.found = undefined;
    return found;
  }
}
