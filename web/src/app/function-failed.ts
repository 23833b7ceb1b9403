/** A function that annotates has not answered a request, or its response cannot be used. */
export class FunctionFailed extends Error {
  constructor(
    readonly title: string,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'FunctionFailed';
  }
}
