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
      name: 'only-the-client-and-shared',
      comment:
        'The app and the server share the client and src/shared, imported as #shared; the rest of src is the server.',
      severity: 'error',
      from: { path: '^web/src/' },
      to: { path: '^src/', pathNot: '^src/shared/' },
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
