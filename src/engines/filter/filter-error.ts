/** The client's filter is wrong; the message says what and is meant for the client. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}
