/** Thrown for what the user wants to do, but what is not possible now. The message says why, and what to do. */
export class NotPossible extends Error {
  override name = 'NotPossible';
}
