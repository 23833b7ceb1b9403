// Stores what arrives, one list of deliveries for each path. The first delivery to HELD never gets a response.
import { createServer } from 'node:http';

export const HELD = '/held';

/**
 * @typedef {object} Delivery
 * @property {string} id of the delivery, the same in all attempts
 * @property {object} payload
 */

export async function startReceiver() {
  /** @type {Map<string, Delivery[]>} */
  const deliveries = new Map();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = { id: request.headers['webhook-id'], payload: JSON.parse(Buffer.concat(chunks)) };
      deliveries.set(request.url, [...(deliveries.get(request.url) ?? []), delivery]);
      if (request.url !== HELD || deliveries.get(HELD).length > 1) response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** @returns {Delivery[]} in order of arrival */
    of: (path) => deliveries.get(path) ?? [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
