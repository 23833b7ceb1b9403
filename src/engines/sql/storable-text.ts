/** Whether PostgreSQL can store a text: it has neither a null character nor half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/** What is wrong with a text that is not storable. Follows its name. */
export const UNSTORABLE = 'contains a null character or half of a surrogate pair';
