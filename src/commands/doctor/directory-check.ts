import type { Config } from '../../config/config.js';
import { DirectorySettingsError, inspectServer, requireNames } from '../../engines/directory/directory.js';
import { failure, type Finding, ok, reasonOf, warning } from './finding.js';

const SUBJECT = 'directory';
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Connects to each server of `LDAP_URL`, binds and reads the bases. @returns no findings if there is no directory */
export async function checkDirectory({ ldap }: Config): Promise<Finding[]> {
  try {
    requireNames(ldap);
  } catch (error) {
    if (!(error instanceof DirectorySettingsError)) throw error;
    return error.problems.map((problem) =>
      failure(SUBJECT, problem, 'Correct the setting. The server does not start.'),
    );
  }
  const findings: Finding[] = [];
  for (const url of ldap.urls) {
    findings.push(...(await checkServer(ldap, url)));
    if (url.startsWith('ldap:') && !ldap.startTls && !LOOPBACK.test(new URL(url).hostname))
      findings.push(
        warning(SUBJECT, `${url}: passwords are sent without encryption`, 'Use ldaps://, or set LDAP_STARTTLS=true.'),
      );
  }
  return findings;
}

async function checkServer(ldap: Config['ldap'], url: string): Promise<Finding[]> {
  try {
    const problems = await inspectServer(ldap, url);
    if (problems.length === 0) return [ok(SUBJECT, `${url}: found ${ldap.userBase}`)];
    const advice = 'Correct the setting, or permit LDAP_BIND_DN to read the entry.';
    return problems.map((problem) => failure(SUBJECT, `${url}: ${problem}`, advice));
  } catch (error) {
    const advice = 'Start the directory, or correct the settings LDAP_…. Users with a password of Cairn can log in.';
    return [failure(SUBJECT, reasonOf(error), advice)];
  }
}
