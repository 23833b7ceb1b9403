import { CairnError } from 'cairn-client';

/** @returns null if the object does not exist, or the user has no permission to see it */
export async function ifAllowed<Data>(answer: Promise<Data>): Promise<Data | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CairnError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}
