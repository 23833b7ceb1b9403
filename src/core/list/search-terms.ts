/** A word that may hold quoted phrases, or any run without white space (a quote that nobody closes). */
const TERM = /[^\s'"]*(?:(?:"(?:[^"\\]|\\[^\n])*"|'(?:[^'\\]|\\[^\n])*')[^\s'"]*)+|\S+/g;

/**
 * The terms of a `search`: split at white space and commas; a term in quotes is one phrase, in which a backslash makes
 * a quote or a backslash ordinary.
 */
export function searchTerms(text: string): string[] {
  return [...text.matchAll(TERM)].flatMap(([term]) => split(term)).filter((term) => term !== '');
}

/** One phrase, with commas around it perhaps. */
const PHRASE = /^,*(["'])(.*)\1,*$/s;

function split(term: string): string[] {
  const [, quote, phrase] = PHRASE.exec(term) ?? [];
  if (quote === undefined || phrase === undefined) return term.split(',').map((part) => part.trim());
  return [phrase.replaceAll(`\\${quote}`, quote).replaceAll('\\\\', '\\')];
}
