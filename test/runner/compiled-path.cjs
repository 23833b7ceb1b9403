const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const compiler = require('@swc/core/package.json');

const root = join(__dirname, '../..');
const settings = readFileSync(join(root, '.swcrc'));

/** Where the compiled form of a TypeScript source is kept; its source map is beside it, with `.map` appended. */
exports.compiledPath = (source) => {
  const hash = createHash('sha1').update(compiler.version).update(settings).update(source).digest('hex');
  return join(root, 'node_modules/.cache/cairn-compiled', hash.slice(0, 2), `${hash}.js`);
};
