import type { Person } from './given.js';
import { type ObjectStore, STORE_KEY } from './object-store.js';

/** The body that creates a cloud storage from a bucket. */
export const storageBody = (store: Pick<ObjectStore, 'url'>, resource: string, more: object = {}): object => ({
  provider_type: 'AWS_S3_BUCKET',
  resource,
  display_name: 'Photographs',
  credentials_type: 'KEY_SECRET_KEY_PAIR',
  ...STORE_KEY,
  specific_attributes: `endpoint_url=${encodeURIComponent(store.url)}`,
  ...more,
});

/** Creates a cloud storage. @param query parameters of the request, such as `{ org }`; @returns its id */
export async function givenStorage(
  person: Person,
  body: object,
  query: Readonly<Record<string, string>> = {},
): Promise<number> {
  const made = await person.http.post('/api/cloudstorages').query(query).send(body);
  if (made.status !== 201) throw new Error(`no cloud storage: ${made.status} ${made.text}`);
  return (made.body as { id: number }).id;
}
