// Administrators see the state of the server, and retry events that a listener could not handle.
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp({ CAIRN_EXTENSIONS: join(import.meta.dirname, 'failing-listener.mjs') });
  page = await app.newPage();
});

after(() => app?.stop());

test('an administrator retries an event in quarantine', async () => {
  await app.api('POST', '/projects', { name: 'Streets' });
  await page.goto('/projects');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Server' }).click();
  const quarantine = page.getByRole('region', { name: 'Events in quarantine' });
  await quarantine.getByText('The inventory does not know this project').waitFor();
  await page.getByRole('region', { name: 'Health' }).getByText('events are in quarantine: inventory (1)').waitFor();
  await inspect(page, 'server');
  await quarantine.getByRole('button', { name: /^Retry event \d+ for inventory$/ }).click();
  await quarantine.getByText('No events in quarantine').waitFor();
});
