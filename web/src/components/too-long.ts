/** @returns what to say of a text that is longer than the server takes. Fields that cut it would change it unseen */
export function tooLong(text: string, limit: number): string | undefined {
  const { length } = [...text];
  return length <= limit ? undefined : `Use at most ${limit.toLocaleString('en')} characters. This has ${length}.`;
}
