// Who may import whom in the app: docs/web.md. Run by `npm run check:imports`.
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'areas-stand-apart',
      comment: 'What two areas share is a component.',
      severity: 'error',
      from: { path: '^web/src/pages/([^/]+)/' },
      to: { path: '^web/src/pages/', pathNot: '^web/src/pages/$1/' },
    },
    {
      name: 'components-know-no-page',
      severity: 'error',
      from: { path: '^web/src/components/' },
      to: { path: '^web/src/pages/' },
    },
    {
      name: 'only-the-client',
      comment:
        'Of the server only what is pure runs in the browser: the engine of annotations, and the rules of who may do what.',
      severity: 'error',
      from: { path: '^web/src/' },
      to: {
        path: '^src/',
        pathNot: ['^src/engines/annotations/[^/]+\\.ts$', '^src/policy/', '^src/engines/media/media-kind\\.ts$'],
      },
    },
    {
      name: 'resolvable',
      comment: 'The client is found by the paths of tsconfig.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^cairn-client(/accept)?$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: require('node:path').join(__dirname, 'tsconfig.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.css'],
    },
  },
};
