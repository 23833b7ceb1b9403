// The exports of `@jest/globals`. Jest creates new ones for every test file, but this module is loaded once for all of
// them: each name delegates to that of the current file.
const current = (name) =>
  new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(globalThis[name], self, args),
    get: (_, key) => globalThis[name][key],
  });

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const jest = current('jest');
export const test = current('test');
