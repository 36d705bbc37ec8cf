import { createRequire } from 'node:module';
import nx from '@nx/eslint-plugin';
import redos from 'eslint-plugin-redos';
import tseslint from 'typescript-eslint';

const layers = [
  { sourceTag: 'layer:app', onlyDependOnLibsWithTags: ['*'] },
  { sourceTag: 'layer:domain', onlyDependOnLibsWithTags: ['layer:domain', 'layer:render', 'layer:platform'] },
  { sourceTag: 'layer:provider', onlyDependOnLibsWithTags: ['scope:core', 'layer:schema'] },
  // Libs with data that platforms publish, and with checks against that data.
  { sourceTag: 'layer:schema', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:platform', onlyDependOnLibsWithTags: ['layer:platform'] },
  { sourceTag: 'layer:testing', onlyDependOnLibsWithTags: ['layer:platform', 'layer:schema'] },
  // Programs that run elsewhere, and know the service only by its API.
  { sourceTag: 'layer:client', onlyDependOnLibsWithTags: [] },
  {
    sourceTag: 'layer:render',
    onlyDependOnLibsWithTags: ['layer:render'],
    bannedExternalImports: ['typeorm', '@nestjs/*', 'sharp', 'undici', 'pg'],
  },
  // Among themselves the platform libs have an order: core ← database ← http, jobs.
  { sourceTag: 'scope:database', onlyDependOnLibsWithTags: ['scope:core'] },
  { sourceTag: 'scope:http', onlyDependOnLibsWithTags: ['scope:core', 'scope:database'] },
  { sourceTag: 'scope:jobs', onlyDependOnLibsWithTags: ['scope:core', 'scope:database'] },
  { sourceTag: 'scope:embedded-postgres', onlyDependOnLibsWithTags: [] },
  // Among themselves the domain libs have an order: each may import those to its left.
  { sourceTag: 'scope:core', onlyDependOnLibsWithTags: ['scope:core'], bannedExternalImports: ['typeorm', 'pg'] },
  {
    sourceTag: 'scope:accounts',
    notDependOnLibsWithTags: [
      ...[
        'scope:billing',
        'scope:wallet-credentials',
        'scope:images',
        'scope:templates',
        'scope:passes',
        'scope:pass-distribution',
        'scope:memberships',
      ],
    ],
  },
  {
    sourceTag: 'scope:billing',
    onlyDependOnLibsWithTags: ['scope:accounts', 'scope:core', 'scope:database'],
  },
  {
    sourceTag: 'scope:wallet-credentials',
    notDependOnLibsWithTags: [
      'scope:images',
      'scope:templates',
      'scope:passes',
      'scope:pass-distribution',
      'scope:memberships',
    ],
  },
  {
    sourceTag: 'scope:images',
    notDependOnLibsWithTags: ['scope:templates', 'scope:passes', 'scope:pass-distribution', 'scope:memberships'],
  },
  {
    sourceTag: 'scope:templates',
    notDependOnLibsWithTags: ['scope:passes', 'scope:pass-distribution', 'scope:memberships'],
  },
  {
    sourceTag: 'scope:passes',
    notDependOnLibsWithTags: [
      'scope:apple-wallet',
      'scope:google-wallet',
      'scope:pass-distribution',
      'scope:memberships',
    ],
  },
  {
    sourceTag: 'scope:apple-wallet',
    notDependOnLibsWithTags: ['scope:google-wallet', 'scope:pass-distribution', 'scope:memberships'],
  },
  {
    sourceTag: 'scope:google-wallet',
    notDependOnLibsWithTags: ['scope:apple-wallet', 'scope:pass-distribution', 'scope:memberships'],
  },
  { sourceTag: 'scope:pass-distribution', notDependOnLibsWithTags: ['scope:memberships'] },
  // The webhooks lib reads events that the database has recorded about the other domain libs. It imports none of them,
  // and none of them imports it.
  {
    sourceTag: 'scope:webhooks',
    onlyDependOnLibsWithTags: ['scope:accounts', 'scope:http', 'scope:core', 'scope:database', 'scope:jobs'],
  },
  { sourceTag: 'layer:domain', notDependOnLibsWithTags: ['scope:webhooks'] },
  // Vendor SDKs stay in providers.
  {
    sourceTag: 'layer:domain',
    bannedExternalImports: ['node-forge', '@aws-sdk/*', 'nodemailer', 'stripe'],
  },
];
// Specs may also import the fakes, and the libs with data that platforms publish.
const specLayers = layers.map((rule) =>
  rule.onlyDependOnLibsWithTags
    ? { ...rule, onlyDependOnLibsWithTags: [...rule.onlyDependOnLibsWithTags, 'layer:testing', 'layer:schema'] }
    : rule,
);
/** @returns {import('eslint').Linter.RulesRecord} */
const boundaries = (depConstraints, more = {}) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    { enforceBuildableLibDependency: false, allow: [], depConstraints, ...more },
  ],
});
// These two libs import each other in specs: the code that the specs of `database` test also migrates the test
// database.
const specBoundaries = boundaries(specLayers, {
  ignoredCircularDependencies: [['@passwright/database', '@passwright/testing']],
});

// An error of the database contains the values of its query, which may be personal data. `loggedError` leaves them out.
const logCall = 'CallExpression:matches([callee.object.name=/logger$/i], [callee.object.property.name=/logger$/i])';
const errorName = '[name=/^(error|err|thrown|cause|fault|failure)$/]';
const errorsInLogs = [
  "MemberExpression[property.name=/^(message|stack|cause)$/]:not([object.callee.name='loggedError'])",
  "CallExpression[callee.name='String']",
  `:matches(TemplateLiteral, SpreadElement) > Identifier${errorName}`,
  `Property > Identifier.value${errorName}`,
]
  .map((inner) => `${logCall} ${inner}`)
  .concat(`${logCall} > Identifier${errorName}`)
  .map((selector) => ({ selector, message: 'A log says of an error what loggedError returns.' }));

/**
 * Rules for scripts. None of these rules needs type information.
 *
 * @type {import('eslint').Linter.RulesRecord}
 */
const problemsOfScripts = {
  '@typescript-eslint/no-unused-vars': [
    'error',
    { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
  ],
  'array-callback-return': 'error',
  eqeqeq: ['error', 'always'],
  'for-direction': 'error',
  'getter-return': 'error',
  'max-lines': ['error', 400],
  'no-async-promise-executor': 'error',
  'no-compare-neg-zero': 'error',
  'no-cond-assign': 'error',
  'no-constant-binary-expression': 'error',
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-constructor-return': 'error',
  'no-control-regex': 'error',
  'no-debugger': 'error',
  'no-dupe-class-members': 'error',
  'no-dupe-else-if': 'error',
  'no-dupe-keys': 'error',
  'no-duplicate-case': 'error',
  'no-duplicate-imports': 'error',
  'no-empty': 'error',
  'no-ex-assign': 'error',
  'no-fallthrough': 'error',
  'no-implied-eval': 'error',
  'no-loss-of-precision': 'error',
  'no-self-assign': 'error',
  'no-self-compare': 'error',
  'no-shadow-restricted-names': 'error',
  'no-sparse-arrays': 'error',
  'no-template-curly-in-string': 'error',
  'no-unmodified-loop-condition': 'error',
  'no-unreachable': 'error',
  'no-unreachable-loop': 'error',
  'no-unsafe-finally': 'error',
  'no-unsafe-optional-chaining': 'error',
  'no-unused-private-class-members': 'error',
  'no-useless-backreference': 'error',
  'no-useless-catch': 'error',
  'no-useless-escape': 'error',
  'no-var': 'error',
  'prefer-const': ['error', { destructuring: 'all' }],
  'use-isnan': 'error',
  'valid-typeof': 'error',
};

const plainEnglish = createRequire(import.meta.url)('./tools/eslint/plain-english.cjs');

export default tseslint.config(
  // VitePress is installed only to make the site, so its configuration has no types here.
  { ignores: ['**/dist/**', '**/node_modules/**', 'tools/site/.vitepress/**', 'tools/site/pages/**'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.mjs', '**/*.cjs'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: { parser: tseslint.parser },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: problemsOfScripts,
  },
  // Scripts have no build that would report a promise without an await.
  {
    files: ['tools/**/*.mjs', 'tools/**/*.cjs'],
    languageOptions: { parserOptions: { project: './tools/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx, redos },
    languageOptions: {
      parserOptions: { project: './tsconfig.spec.json', tsconfigRootDir: process.cwd() },
    },
    rules: {
      ...boundaries(layers),
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 8],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only the app reads the environment (main.ts hands it to loadConfig); a lib takes options.',
        },
        ...errorsInLogs,
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        {
          selector: 'CallExpression[callee.property.name=/^(data)?sync$/][arguments.length=0]',
          message: "Files of Yarn's Plug'n'Play have no such method: flush the descriptor with fsync of node:fs.",
        },
        {
          selector: `CallExpression[callee.property.name='transaction'] :matches(${[
            'CallExpression[callee.object.property.name=/^(mailer|storage|push|wallet|signer|source)$/]',
            'CallExpression[callee.name=/^(counted|fetch)$/]',
            'CallExpression[callee.property.name="emit"]',
          ].join()})`,
          message: 'A transaction may run again after a deadlock: what cannot be rolled back comes after it.',
        },
      ],
      // Patterns must match any input in linear time: with a pattern that backtracks, one request could block the
      // process. The search for slow inputs is random, and a seed makes it the same on each run. Only the number
      // of its steps is limited, because on a busy machine a time limit would reject a harmless pattern.
      'redos/no-vulnerable': [
        'error',
        {
          ignoreErrors: false,
          timeout: 60_000,
          randomSeed: 1,
          seedingTimeout: null,
          incubationTimeout: null,
          attackTimeout: null,
        },
      ],
      eqeqeq: ['error', 'always'],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  // The part of the writing rules that a program can check; CONTRIBUTING.md has all of them.
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.cjs'],
    plugins: { 'plain-english': plainEnglish },
    rules: { 'plain-english/docstring-opening': 'error', 'plain-english/test-title': 'error' },
  },
  // Functions with markup are longer, because each attribute takes a line.
  {
    files: ['**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
  },
  // The entry files of programs read the environment.
  { files: ['**/src/main.ts', '**/src/operator.ts', '**/src/doctor.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*spec.ts', '**/*.fixtures.ts', '**/test/**/*.ts', '**/libs/testing/**/*.ts', 'testing/**/*.ts'],
    rules: {
      ...specBoundaries,
      'max-lines': ['error', 500],
      'max-lines-per-function': 'off',
      'redos/no-vulnerable': 'off',
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
