import { createServer } from 'node:net';

/** Tries to listen at an address. @returns why a server could not; null if the port is free */
export function portProblem(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}
