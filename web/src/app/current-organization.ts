const KEY = 'cairn.organization';
const listeners = new Set<() => void>();
/** The last selection in this tab. A logout in another tab must not change the organization of forms in this one. */
let known: string | null = null;

/** Slug of the selected organization, stored in the browser. Empty for the personal space. */
export const currentOrganization = {
  get: (): string => currentOrganization.choice() ?? '',
  /** The selection, or null if nothing has been selected in this browser. */
  choice: (): string | null => (known = localStorage.getItem(KEY) ?? known),
  set(slug: string): void {
    localStorage.setItem(KEY, slug);
    for (const listener of listeners) listener();
  },
  /** Called on logout. */
  forget(): void {
    known = null;
    localStorage.removeItem(KEY);
    for (const listener of listeners) listener();
  },
  /** @returns a function that unsubscribes */
  listen(listener: () => void): () => void {
    listeners.add(listener);
    window.addEventListener('storage', listener); // selected in another tab
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  },
};
