// Who may import whom: docs/conventions.md, section 2. Run by `npm run check:imports`.
const specs = '\\.spec\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle of imports fails to load sooner or later; turn one direction round.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'engines-are-plain',
      comment:
        'Engines are libraries: other engines, src/shared, node: and the npm library they wrap. No framework, no database.',
      severity: 'error',
      from: { path: '^src/engines/', pathNot: specs },
      to: {
        path: ['^src/(?!engines/|shared/)', 'node_modules/(@nestjs|typeorm|pg|express|class-validator|rxjs|pino)/'],
      },
    },
    {
      name: 'shared-runs-anywhere',
      comment:
        'Server and app both import src/shared: it needs itself, and SQL fragments for the conditions next to the rules.',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: specs },
      to: { pathNot: ['^src/shared/', '^src/engines/sql/'] },
    },
    {
      name: 'core-knows-no-module',
      comment: 'The ground does not know what stands on it.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: specs },
      to: { path: '^src/modules/' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      from: { path: '^src/config/', pathNot: specs },
      to: { path: '^src/(?!config/)' },
    },
    {
      name: 'modules-meet-at-index',
      comment: 'What a module shows others is in its index.ts; entities may be named for relations and joins.',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: { path: '^src/modules/([^/]+)/', pathNot: ['^src/modules/$1/', '/index\\.ts$', '\\.entity\\.ts$'] },
    },
    {
      name: 'app-imports-modules',
      comment: 'Only the process (entry, commands, schema) may look into everything.',
      severity: 'error',
      from: { path: '^src/(modules|core|shared|engines)/', pathNot: specs },
      to: { path: '^src/[^/]+\\.ts$|^src/commands/' },
    },
    {
      name: 'modules-one-way',
      comment: 'organizations <- projects <- tasks <- jobs <- issues <- comments: never from left to right.',
      severity: 'error',
      from: { path: '^src/modules/(organizations|users|labels|storages)/', pathNot: specs },
      to: { path: '^src/modules/(tasks|jobs|issues|comments|webhooks)/', pathNot: '\\.entity\\.ts$' },
    },
    {
      name: 'webhooks-hear',
      comment: 'Webhooks live on events; they use no service of another resource.',
      severity: 'error',
      from: { path: '^src/modules/webhooks/', pathNot: specs },
      to: { path: '^src/modules/(tasks|jobs|annotations|issues|comments|media)/', pathNot: '\\.entity\\.ts$' },
    },
    {
      name: 'nobody-imports-webhooks',
      severity: 'error',
      from: { path: '^src/modules/(?!webhooks/)' },
      to: { path: '^src/modules/webhooks/', pathNot: '\\.entity\\.ts$' },
    },
    {
      name: 'sources-know-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: specs },
      to: { path: ['^test/', specs, 'node_modules/(jest|@jest|supertest|fast-check)/'] },
    },
    {
      name: 'declared-dependencies',
      comment: 'A package that is used must be in package.json.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
