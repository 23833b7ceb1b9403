/**
 * The cookie of the session itself is hidden from scripts. It comes with one that is not: without that, nobody is logged in,
 * and to ask who it is would be an error in the console of the browser.
 */
export const mayHaveSession = (): boolean => /(?:^|; )csrftoken=/.test(document.cookie);
