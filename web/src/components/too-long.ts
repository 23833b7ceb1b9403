/** @returns an error message if a text exceeds the limit of the server. Fields do not truncate, as that would go unnoticed */
export function tooLong(text: string, limit: number): string | undefined {
  const { length } = [...text];
  return length <= limit ? undefined : `Use at most ${limit.toLocaleString('en')} characters. This text has ${length}.`;
}
