/** A body that is not valid annotations; `errors` is the JSON to answer with status 400. */
export class AnnotationInvalid extends Error {
  constructor(public readonly errors: unknown) {
    super('The annotations are not valid');
    this.name = 'AnnotationInvalid';
  }
}
