const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Uses the globals of the process for every test file, so that the application and its libraries are loaded once per
 * worker; Jest's `node` environment loads them again for each file. Changes that a file makes are reverted after it.
 */
module.exports = class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.env = { ...process.env };
    this.exit = process.exit;
    globalThis.jest = {
      fn: this.moduleMocker.fn.bind(this.moduleMocker),
      spyOn: this.moduleMocker.spyOn.bind(this.moduleMocker),
      restoreAllMocks: () => this.moduleMocker.restoreAllMocks(),
      useFakeTimers: (options) => this.fakeTimersModern.useFakeTimers(options),
      useRealTimers: () => this.fakeTimersModern.useRealTimers(),
      advanceTimersByTime: (milliseconds) => this.fakeTimersModern.advanceTimersByTime(milliseconds),
      setSystemTime: (now) => this.fakeTimersModern.setSystemTime(now),
    };
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    process.exit = this.exit;
    for (const name of Object.keys(process.env)) if (!(name in this.env)) delete process.env[name];
    Object.assign(process.env, this.env);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
};
