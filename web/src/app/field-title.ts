/** A title for a field of the API whose label is not known. */
export const fieldTitle = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
