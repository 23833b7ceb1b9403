/** Collects the errors of one JSON object; the result mirrors the object: field -> error. */
export class FieldErrors {
  private found: Record<string, unknown> | undefined;

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
