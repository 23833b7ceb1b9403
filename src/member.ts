// Main program of the processes that `cairn serve` and `cairn worker` run. Arguments: the role, and the types of background
// work of a worker; default: all.

import { joinGroup } from './core/process-group/membership.js';
import { endWithError, prepareProcess } from './process-settings.js';

const link = joinGroup();
prepareProcess();
const exit = (): never => process.exit(1);
process.once('disconnect', exit); // the supervisor has ended during the start

try {
  // The database starts while this process loads its program.
  const [{ runMember }, database] = await Promise.all([import('./run-member.js'), link.ask('database')]);
  const [role, ...kinds] = process.argv.slice(2);
  if (database === undefined)
    exit(); // it could not be started, as the supervisor says
  else await runMember(link, { role, kinds, database });
  process.off('disconnect', exit);
} catch (error) {
  await endWithError(error);
}
