/**
 * Scripts cannot read the session cookie, but they can read the CSRF cookie that comes with it. Without it, nobody is
 * logged in, and requesting the user would log an error in the browser's console.
 */
export const mayHaveSession = (): boolean => csrfToken() !== undefined;

/** Every session has another one. */
export const csrfToken = (): string | undefined => /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1];
