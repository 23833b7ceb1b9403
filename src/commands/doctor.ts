import { readFileSync } from 'node:fs';
import { ConfigError, readConfig } from '../config/env.js';
import type { Config } from '../config/config.js';
import { checkDatabase } from './doctor/database-checks.js';
import { checkDirectory } from './doctor/directory-check.js';
import { checkEventSink } from './doctor/event-sink-check.js';
import {
  checkBsdtar,
  checkMemory,
  checkNativeModules,
  checkNode,
  checkFfmpeg,
  checkDataFolder,
  checkShareFolder,
} from './doctor/machine-checks.js';
import { checkMedia } from './doctor/media-check.js';
import { type Finding, findingText, ok, failure } from './doctor/finding.js';
import { checkFunctions, checkTracing } from './doctor/service-checks.js';
import { checkExposure, checkMonitoringPort, checkPort } from './doctor/network-check.js';
import { checkSignOn } from './doctor/sign-on-check.js';

/**
 * Checks everything that a server needs and prints a line for each part.
 * @returns the exit code: 1 if there is an error, 0 if there are at most warnings
 */
export async function doctor(): Promise<number> {
  const states: Finding['state'][] = [];
  const say = (findings: readonly Finding[]): void => {
    for (const finding of findings) process.stdout.write(`${findingText(finding)}\n`);
    states.push(...findings.map((finding) => finding.state));
  };
  say([checkNode(process.versions.node, requiredNodeVersion()), checkMemory(process.availableMemory())]);
  say(await checkNativeModules());
  const config = settings(say);
  if (config !== null) await checkInstallation(config, say);
  const count = (state: Finding['state']): number => states.filter((one) => one === state).length;
  process.stdout.write(`\n${count('ok')} ok, ${count('warning')} warning(s), ${count('error')} error(s)\n`);
  return count('error') > 0 ? 1 : 0;
}

async function checkInstallation(config: Config, say: (findings: readonly Finding[]) => void): Promise<void> {
  say(await checkDataFolder(config.dataDir));
  say(await checkShareFolder(config.shareDir));
  say(await checkMedia(config));
  say(await checkDatabase(config));
  say(await checkEventSink(config));
  say([await checkPort(config), ...(await checkMonitoringPort(config))]);
  say(checkExposure(config));
  say(await checkFunctions(config));
  say(await checkTracing(config));
  say(await checkSignOn(config));
  say(await checkDirectory(config));
  say([await checkFfmpeg(config.ffmpegPath), await checkBsdtar()]);
}

/** The settings, or null if they are invalid, which skips the checks that need them. */
function settings(say: (findings: readonly Finding[]) => void): Config | null {
  try {
    const config = readConfig(process.env);
    say([ok('settings', 'valid')]);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Correct the variable in the environment or in .env. Checks that need the settings were skipped.';
    say(error.problems.map((problem) => failure('settings', problem, advice)));
    return null;
  }
}

function requiredNodeVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { engines: { node: string } }).engines.node;
}
