const REFERENCE = /(?<=\/api\/assets\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi;

/** Ids of the assets that a guide's text shows or links to, each once, in lower case. */
export function referencedAssets(markdown: string): string[] {
  return [...new Set(Array.from(markdown.matchAll(REFERENCE), ([uuid]) => uuid.toLowerCase()))];
}

/** The text with other assets in the place of some. */
export function replaceAssets(markdown: string, replacements: ReadonlyMap<string, string>): string {
  return markdown.replaceAll(REFERENCE, (uuid) => replacements.get(uuid.toLowerCase()) ?? uuid);
}
