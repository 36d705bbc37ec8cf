import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FakeGoogleWallet, freePort, testDatabase } from '@passwright/testing';
import { parseAllDocuments } from 'yaml';
import { deadLinks } from '../support/docs/dead-links.js';
import { inlineCode, read, root, snippetsOf, type Snippet } from '../support/docs/doc-snippets.js';
import { isRun, runDocument, type Beginning } from '../support/docs/doc-session.js';
import { InstalledPackages } from '../support/docs/installed-packages.js';
import { withNullable } from '../support/nullable-schemas.js';
import type { Json } from '../support/json.js';
import { operationsOf } from '../support/operations.js';
import { RunningService } from '../support/running-service.js';
import { shapeProblems } from '../support/schema-shape.js';

/** The documents for readers. Decision records are left out, because they describe a past state. */
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/recipes'].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
].filter((path) => path.endsWith('.md') && existsSync(join(root, path)));

/** The documents of packages and examples. Their code is compiled but not run. */
const packageDocuments = ['apps/cli', ...['libs', ...foldersIn('libs'), 'examples'].flatMap(foldersIn)]
  .map((folder) => `${folder}/README.md`)
  .filter((path) => existsSync(join(root, path)));
const ofPackages = packageDocuments.flatMap((document) => snippetsOf(document));

function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
}

const snippets = new Map(documents.map((document) => [document, snippetsOf(document)]));
const every = [...snippets.values()].flat();
const openApi: Json = withNullable(JSON.parse(read('docs/openapi.json')));
const operations = new Map(operationsOf(openApi).map((operation) => [operation.id, operation]));

/** The README's five calls. Readers of the other documents have already made them. */
const fiveCalls = snippets.get('README.md')?.find(({ text }) => text.startsWith('B='))?.text ?? '';

const at = ({ document, line }: Snippet) => `${document}:${line}`;

/** Text blocks that follow commands but are not their output. */
const textsOfOtherKinds = [
  'docs/going-to-production.md: S3_BUCKET=passwright-images',
  'docs/privacy.md: GET',
  'docs/recipes/event-tickets.md: npx',
];

describe('blocks that a session cannot run', () => {
  it('only the listed blocks are marked as not run, each for the listed reason', () => {
    const unrun = [...every, ...ofPackages].filter(({ marks }) => marks.has('not run'));
    expect(unrun.map((snippet) => `${snippet.document}: ${snippet.marks.get('not run')}`)).toEqual([
      'README.md: it starts the service and runs every test',
      'CONTRIBUTING.md: each takes minutes, and runs in CI or by hand',
      'docs/agents.md: Claude Code has to be installed',
      'docs/going-to-production.md: Docker has to be installed',
      "docs/going-to-production.md: it takes pg_dump of the server's own version",
      "docs/going-to-production.md: it takes pg_restore and psql of the server's own version",
      "docs/going-to-production.md: it takes pg_restore of the server's own version",
      'docs/going-to-production.md: it pushes every phone',
      'docs/groups.md: it takes two servers',
      'docs/groups.md: it takes two servers',
      'docs/kubernetes.md: Docker has to be installed',
      'docs/kubernetes.md: it takes a cluster',
      'docs/other-languages.md: Python has to be installed',
      'docs/other-languages.md: Java has to be installed',
      'docs/scaling.md: it takes minutes, and two versions of Node',
      'docs/tracing.md: Docker has to be installed',
      'docs/webhooks.md: there is no receiver',
      'docs/webhooks.md: it waits for events',
      'docs/recipes/sign-up-poster.md: it fetches a package',
      'libs/providers/signer/README.md: it takes a pass that was signed',
      "libs/rendering/google-wallet-schema/README.md: Google's document has to be fetched",
    ]);
  });

  it('every block has a known language, is quoted from a file, or is marked as not run', () => {
    const checked = ['sh', 'ts', 'js', 'json', 'yaml', 'dotenv'];
    const shown = ['text', 'http', 'mermaid', 'csv'];
    const others = every.filter(
      ({ language, marks, file }) =>
        ![...checked, ...shown].includes(language) && !marks.has('not run') && file === undefined,
    );
    expect(others.map((snippet) => `${at(snippet)} ${snippet.language}`)).toEqual([]);
  });
});

describe('shown output', () => {
  it('each text block below executed commands shows their output, except for the listed blocks', () => {
    const others = [...snippets.values()].flatMap((blocks) =>
      blocks.filter((block, index) => {
        const before = blocks[index - 1];
        const isBelow = block.language === 'text' && before?.language === 'sh' && isRun(before);
        return isBelow && !block.marks.has('output');
      }),
    );
    expect(others.map(({ document, text }) => `${document}: ${text.split(/[\s{]/)[0]}`)).toEqual(textsOfOtherKinds);
  });
});

describe('data', () => {
  it('each data block is valid JSON, valid YAML or a list of known variables, depending on its language', () => {
    for (const snippet of every.filter(({ marks }) => !marks.has('not run'))) {
      expect([at(snippet), dataProblems(snippet)]).toEqual([at(snippet), []]);
    }
  });

  it('data blocks have the shape of the body or response that they declare', () => {
    for (const snippet of every.filter(({ marks }) => marks.has('request') || marks.has('response'))) {
      expect([at(snippet), shapeProblems(openApi, schemaOf(snippet), JSON.parse(snippet.text))]).toEqual([
        at(snippet),
        [],
      ]);
    }
  });
});

function dataProblems({ language, text }: Snippet): string[] {
  try {
    if (language === 'json') JSON.parse(text);
  } catch (error) {
    return [String(error)];
  }
  if (language === 'yaml') return parseAllDocuments(text).flatMap(({ errors }) => errors.map(String));
  if (language !== 'dotenv') return [];
  const known = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name));
  return [...text.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !known.has(name.replace(/_FILE$/, '')) && !known.has(name));
}

/**
 * Finds the schema of a body, a response or a property, such as `createPass`, `createPass 201` or `getAccount 200
 * billing`.
 */
function schemaOf({ marks }: Snippet): Json {
  const [id = '', status, ...properties] = (marks.get('response') ?? marks.get('request') ?? '').split(' ');
  const source = operations.get(id)?.source;
  if (!source) throw new Error(`no operation ${id}`);
  const content = marks.has('response') ? source.responses[status as string]?.content : source.requestBody?.content;
  return properties.reduce(
    (schema: Json, name) => resolved(schema).properties[name],
    content['application/json'].schema,
  );
}

function resolved(schema: Json): Json {
  return schema.$ref ? openApi.components.schemas[schema.$ref.split('/').at(-1)] : schema;
}

describe('TypeScript', () => {
  it('TypeScript blocks compile', async () => {
    const code = [...every, ...ofPackages].filter(
      ({ language, marks }) => ['ts', 'js'].includes(language) && !marks.has('from'),
    );
    expect(await typeProblems(code)).toEqual([]);
    // A separate compiler reads all packages, which takes half a minute on a busy machine.
  }, 120_000);

  /** Compiles in a separate thread, because compiling here would block the service. */
  async function typeProblems(code: readonly Snippet[]): Promise<string[]> {
    const files = [
      join(root, 'libs/testing/jest/typescript-sources.cjs'),
      join(__dirname, '../support/docs/doc-types.ts'),
    ];
    const program = `
      const { parentPort, workerData: { files, code } } = require('node:worker_threads');
      const [, { typeProblems }] = files.map(require);
      parentPort.postMessage(typeProblems(code));`;
    const [problems] = await once(new Worker(program, { eval: true, workerData: { files, code } }), 'message');
    return problems as string[];
  }
});

describe('the README of a package', () => {
  it('the README of each package names the right package to install, and contains only known commands', () => {
    const checked = new Set(['npm install', 'npm test', 'npm start']);
    const wrong = ofPackages
      .filter(({ language, marks }) => !['ts', 'js', 'text'].includes(language) && !marks.has('not run'))
      .filter(({ document, text }) => {
        const { name, scripts = {} } = JSON.parse(read(document.replace('README.md', 'package.json')));
        const commands = text.split('\n').map((line) => line.replace(/ *#.*$/, ''));
        const known = (command: string) =>
          command === `npm install ${name}` ||
          (checked.has(command) && (command === 'npm install' || command.slice(4) in scripts));
        return !commands.every(known);
      });
    expect(wrong.map(at)).toEqual([]);
  });
});

describe('code quoted from a file', () => {
  it('quoted code matches its file, except for its indentation', () => {
    const flat = (text: string) => text.trim().replace(/\s*\n\s*/g, '\n');
    const quoted = every.filter(({ marks }) => marks.has('from'));
    const others = quoted.filter(({ text, marks }) => !flat(read(marks.get('from') as string)).includes(flat(text)));
    expect(others.map(at)).toEqual([]);
  });
});

/** Joins the summaries and descriptions of the API document. */
function descriptions(document: Json): string {
  const texts: string[] = [];
  JSON.stringify(document, (name, value: Json) => {
    if ((name === 'summary' || name === 'description') && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts.join('\n');
}

describe('names within sentences', () => {
  it('the navigation of the guides names every document once, except decision records', () => {
    const navigation = JSON.parse(read('docs/navigation.json')) as { guides: string[] }[];
    const files = documents.filter((document) => document.startsWith('docs/') && document !== 'docs/README.md');
    const guides = ['', ...files.map((file) => file.slice('docs/'.length, -'.md'.length))];
    expect(navigation.flatMap((group) => group.guides).sort()).toEqual(guides.sort());
  });

  it.each([...documents, ...packageDocuments])('%s has no broken link', (document) =>
    expect(deadLinks(document)).toEqual([]),
  );

  it('documents and the API document avoid words that make English readers stumble', () => {
    const stumbles = /\b(?:anew|besides|for ever|goes on|guillemets|in whose|of which|told of|whoever)\b|\d %|[«»]/gi;
    const texts = [...documents.map((document) => [document, read(document)]), ['openapi.json', descriptions(openApi)]];
    const found = texts.flatMap(([document = '', text = '']) =>
      // CONTRIBUTING.md lists the words to avoid, and code may contain other languages.
      document === 'CONTRIBUTING.md'
        ? []
        : (text.replace(/```[^]*?```|`[^`]*`/g, '').match(stumbles) ?? []).map((word) => `${document}: ${word}`),
    );
    expect(found).toEqual([]);
  });

  it('every name after `npm run` is a script of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    const named = documents.flatMap((document) =>
      [...read(document).matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, script]) => script as string),
    );
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('package.json has at most eight scripts outside groups', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    expect(Object.keys(scripts).filter((script) => !script.includes(':')).length).toBeLessThanOrEqual(8);
  });

  it('every path after a method is a route of the service', () => {
    const routes = [...operations.values()].map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
      end: path.replace(/\{[^}]+\}/g, '{}'),
    }));
    const isKnown = (code: string) => {
      const [method, target = ''] = code.split(' ');
      const path = target.replace(/\?.*$/, '').replace(/^https?:\/\/[^/]+/, '');
      if (path.startsWith('…'))
        return routes.some((r) => r.method === method && r.end.endsWith(path.slice(1).replace(/\{[^}]+\}/g, '{}')));
      return routes.some((r) => r.method === method && (r.pattern.test(path) || r.pattern.test(`/v1${path}`)));
    };
    const wrong = documents.flatMap((document) =>
      inlineCode(document)
        .filter((code) => /^(GET|POST|PUT|PATCH|DELETE) [/…]\S*$/.test(code) && !isKnown(code))
        .map((code) => `${document}: ${code}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('a reader who pastes all blocks of a document', () => {
  let service: RunningService;
  let google: FakeGoogleWallet;
  let packages: InstalledPackages;
  let sessions: Map<string, Promise<unknown>>;

  beforeAll(async () => {
    packages = InstalledPackages.install();
    google = await FakeGoogleWallet.start();
    service = await RunningService.start({
      // Set the port now, because links contain the address of the service.
      PORT: String(await freePort()),
      GOOGLE_WALLET_URL: google.urls.api,
      GOOGLE_TOKEN_URL: google.urls.token,
    });
    sessions = startAll();
  });
  afterAll(async () => {
    await Promise.allSettled(sessions.values());
    await service.stop();
    await google.stop();
    packages.remove();
  });

  /** Starts as many sessions at a time as there are cores. */
  function startAll(): Map<string, Promise<unknown>> {
    const lanes = Array.from({ length: availableParallelism() }, () => Promise.resolve<unknown>(undefined));
    return new Map(
      documents
        .filter((document) => snippets.get(document)?.some(isRun))
        .map((document, index) => {
          const lane = index % lanes.length;
          const session = (lanes[lane] as Promise<unknown>).then(() => follow(document));
          lanes[lane] = session.catch(() => undefined);
          return [document, session];
        }),
    );
  }

  async function follow(document: string): Promise<void> {
    const session = (snippets.get(document) as Snippet[]).filter(
      (snippet) => isRun(snippet) || snippet.marks.has('output'),
    );
    // A document that sets the address itself needs no account at its start.
    const isBeginning = session.some(({ text }) => /^B=/m.test(text));
    await runDocument(read(document).split('\n').length, session, await beginning(isBeginning ? '' : fiveCalls));
  }

  const baseUrl = () => service.baseUrl.replace('127.0.0.1', 'localhost');

  async function beginning(pasted: string): Promise<Beginning> {
    const suffix = randomBytes(6).toString('hex');
    return {
      pasted,
      packages,
      files: { 'key.json': google.serviceAccount().keyFile },
      variables: { DATABASE_URL: (await testDatabase()).url, DATA_DIR: service.dataDir },
      placeholders: [
        [/\b4000\b/g, String(await freePort())],
        [/https?:\/\/(localhost:3000|passes\.example\.com)/g, baseUrl()],
        [/\b([a-z]+)@example\.com/g, `$1-${suffix}@example.com`],
        [/\bacc_[A-Za-z0-9]{22}\b/g, '$(echo "$LINKS" | pick .pass.accountId)'],
      ],
    };
  }

  it.each(documents.filter((document) => snippets.get(document)?.some(isRun)))(
    'a reader who pastes the blocks of %s in order sees no failure',
    async (document) => {
      await sessions.get(document);
    },
    180_000,
  );
});
