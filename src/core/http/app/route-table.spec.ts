import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { RouteTable } from './route-table.js';

describe('the methods of a path', () => {
  const app = express();
  const none = (): void => undefined;
  app.get('/api/tasks/:id/data', none).post('/api/tasks/:id/data', none);
  app.get('/api/tasks/:id/data/meta', none).patch('/api/tasks/:id/data/meta', none);
  app.head('/api/tasks/:id/data/:fileId', none).delete('/api/tasks/:id/data/:fileId', none);
  const allow = (path: string) => RouteTable.of([app.router]).methods(path)?.allow;

  it('are those of the most specific route', () => {
    expect(allow('/api/tasks/1/data')).toBe('GET, POST, HEAD, OPTIONS');
    expect(allow('/api/tasks/1/data/meta')).toBe('GET, PATCH, HEAD, OPTIONS');
    expect(allow('/api/tasks/1/data/6f1c')).toBe('DELETE, HEAD, OPTIONS');
  });

  it('are undefined for an unknown path', () => {
    expect(allow('/api/tasks/1/data/')).toBeUndefined();
    expect(allow('/api/tasks/1/dataset')).toBeUndefined();
  });
});
