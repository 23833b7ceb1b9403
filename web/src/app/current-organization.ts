const KEY = 'cairn.organization';
const listeners = new Set<() => void>();

/** Slug of the organization that the app works in; the empty text is the personal space. Kept by the browser. */
export const currentOrganization = {
  get: (): string => localStorage.getItem(KEY) ?? '',
  set(slug: string): void {
    localStorage.setItem(KEY, slug);
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
