const KEY = 'cairn.organization';
const listeners = new Set<() => void>();
/** The last that was known here: a log-out in another tab forgets it there, not under the text that is typed here. */
let known: string | null = null;

/** Slug of the organization that the app works in; the empty text is the personal space. Kept by the browser. */
export const currentOrganization = {
  get: (): string => currentOrganization.choice() ?? '',
  /** The selected one, null while none was selected in this browser. */
  choice: (): string | null => (known = localStorage.getItem(KEY) ?? known),
  set(slug: string): void {
    localStorage.setItem(KEY, slug);
    for (const listener of listeners) listener();
  },
  /** At a log-out. */
  forget(): void {
    known = null;
    localStorage.removeItem(KEY);
    for (const listener of listeners) listener();
  },
  /** @returns what ends the listening */
  listen(listener: () => void): () => void {
    listeners.add(listener);
    window.addEventListener('storage', listener); // chosen in another tab
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  },
};
