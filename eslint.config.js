/**
 * Lint rules, every one an error. The layer walls come from test/support/layers.json, the table
 * that the tidy test reads too; lint shows a breach in the editor, the test proves there is none.
 */
import { readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';

const layers = JSON.parse(
  readFileSync(new URL('test/support/layers.json', import.meta.url), 'utf8'),
);
const STAGE_IMPORTS = ['owners', 'ports', 'protocol', 'domain', 'kernel'];
/** Layers that may know time, chance and the process. */
const OUTSIDE_WORLD = ['drivers', 'main'];
const WALLED = Object.keys(layers)
  .filter((layer) => !OUTSIDE_WORLD.includes(layer))
  .map((layer) => `src/${layer}/**/*.ts`);

const INJECTED = 'comes from a port, so that tests own time and chance';
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'];
/**
 * Names of what has 64 bits, or is a text that may look like a number: ids, versions of rooms,
 * coins, offsets, epochs. Not a partition, Tencent's id of an app, or the version of a hash.
 */
const EXACT_NAMES = [
  '(?<![Pp]artition|[Aa]pp)(Id|_id)$|^id$',
  '(?<![Hh]ash_?)[Vv]ersion$',
  '([Cc]oins?|[Pp]rice|(?<!re)[Bb]alance|[Ii]ncome|[Hh]eat|[Oo]ffset|[Ee]poch|[Ss]eq)$',
].join('|');

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.roomcell/', 'bench/out/', 'src/drivers/grpc/generated/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'off',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-param-reassign': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      // A method without await keeps its promise to throw asynchronously.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ['src/**/*.ts', 'scripts/**/*.{ts,mjs}'],
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'scripts/**/*.ts', 'test/support/**/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/main/**'],
    rules: { 'no-console': 'error' },
  },
  {
    // Not the tests, where an offset is a place in a list of a few.
    files: ['src/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...roundingSyntax()] },
  },
  { files: WALLED, rules: banOutsideWorld() },
  {
    files: ['src/domain/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...roundingSyntax(), ...chanceSyntax(), ...promiseSyntax()],
    },
  },
  ...Object.entries(layers).map(([layer, row]) => wallAround(layer, row)),
  ...Object.keys(layers)
    .filter((layer) => layers[layer].parts === true)
    .flatMap((layer) => [1, 2, 3].map((depth) => wallBetweenParts(layer, depth))),
  {
    files: ['test/**/*.ts'],
    rules: {
      // A fake port is full of methods that do nothing.
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // Asymmetric matchers (expect.stringContaining) are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
);

/** Time, timers, chance and the process are out of reach. */
function banOutsideWorld() {
  const names = ['Date', 'performance', 'process', 'crypto', 'fetch', ...TIMERS];
  return {
    'no-restricted-globals': [
      'error',
      {
        globals: names.map((name) => ({ name, message: `${name} ${INJECTED}.` })),
        checkGlobalObject: true,
      },
    ],
    'no-restricted-syntax': ['error', ...roundingSyntax(), ...chanceSyntax()],
  };
}

function chanceSyntax() {
  const chance = "MemberExpression[object.name='Math'][property.name='random']";
  const ids = '/^(randomUUID|randomBytes|randomInt|randomFillSync|getRandomValues)$/';
  return [
    { selector: chance, message: `Math.random ${INJECTED}.` },
    { selector: `Identifier[name=${ids}]`, message: `Chance ${INJECTED}.` },
  ];
}

/**
 * A double holds no whole number above 2^53 for sure: what has 64 bits is a bigint, or text, from end
 * to end. A time in milliseconds may be a number, and is not among the names.
 */
function roundingSyntax() {
  const message = 'A double would round it: 64-bit numbers are bigint, ids are text.';
  const conversions = [
    'CallExpression[callee.name=/^(Number|parseInt|parseFloat)$/]',
    "CallExpression[callee.object.name='Number'][callee.property.name=/^parse/]",
    "UnaryExpression[operator='+']",
  ];
  return conversions.flatMap((conversion) => [
    { selector: `${conversion} Identifier[name=/${EXACT_NAMES}/]`, message },
    { selector: `${conversion} Literal[value=/${EXACT_NAMES}/]`, message },
  ]);
}

/** The domain is pure: it returns values, never the promise of one. */
function promiseSyntax() {
  const message = 'The domain is synchronous: an outside fact is an argument.';
  return [
    { selector: ':function[async=true]', message },
    { selector: 'AwaitExpression', message },
    { selector: "Identifier[name='Promise']", message },
    { selector: "Identifier[name='PromiseLike']", message },
  ];
}

function wallAround(layer, row) {
  return {
    files: [`src/${layer}/**/*.ts`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: importPatterns(layer, row) },
      ],
    },
  };
}

function importPatterns(layer, row) {
  const patterns = [];
  const imports = row.imports ?? STAGE_IMPORTS;
  if (imports !== 'any') {
    const foreign = Object.keys(layers).filter((each) => each !== layer && !imports.includes(each));
    patterns.push({
      regex: `^(\\.\\./)+(${foreign.join('|')})/`,
      message: `${layer} may import ${imports.join(', ') || 'nothing'}.`,
    });
  }
  const packages = row.packages ?? [];
  if (packages !== 'any') {
    const allowed = [...packages, ...(row.builtins ?? [])];
    const except = allowed.length === 0 ? '' : `(?!(${allowed.join('|')})$)`;
    patterns.push({
      regex: `^${except}[^.]`,
      message: 'Libraries and node: modules stay in drivers and main.',
    });
  }
  return patterns;
}

/** From a file `depth` folders below src/drivers, a path that goes up to there and down elsewhere. */
function wallBetweenParts(layer, depth) {
  const shared = (layers[layer].sharedParts ?? []).map((part) => `(?!${part}/)`).join('');
  const elsewhere = {
    regex: `^(\\.\\./){${depth}}(?!\\.\\.)${shared}[^/]+/`,
    message: 'Neighbours do not import each other.',
  };
  const patterns = [...importPatterns(layer, layers[layer]), elsewhere];
  return {
    files: [`src/${layer}/${'*/'.repeat(depth)}*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}
