/** A word that may contain quoted phrases, or any run without white space (an unclosed quote). */
const TERM = /[^\s'"]*(?:(?:"(?:[^"\\]|\\[^\n])*"|'(?:[^'\\]|\\[^\n])*')[^\s'"]*)+|\S+/g;

/**
 * Splits a `search` into terms at white space and commas. A quoted term is one phrase; in it, a backslash escapes a
 * quote or a backslash.
 */
export function searchTerms(text: string): string[] {
  return [...text.matchAll(TERM)].flatMap(([term]) => split(term)).filter((term) => term !== '');
}

/** One phrase, possibly between commas. */
const PHRASE = /^,*(["'])(.*)\1,*$/s;

function split(term: string): string[] {
  const [, quote, phrase] = PHRASE.exec(term) ?? [];
  if (quote === undefined || phrase === undefined) return term.split(',').map((part) => part.trim());
  return [phrase.replaceAll(`\\${quote}`, quote).replaceAll('\\\\', '\\')];
}
