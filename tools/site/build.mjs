/**
 * Builds the documents as a static site for any web server. The site has pages, a search that runs in the browser, and
 * the changelog.
 *
 *   npm run docs:site -- [folder, default dist-site]
 *
 * SITE_BASE is the path of the site on its server, such as /passwright/; default /. SITE_VERSIONS lists the versions of
 * the documents on the server, such as 0.1.0,0.2.0. Each version has a folder.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wholeDocument } from '../whole-document.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const site = join(root, 'tools/site');
const pages = join(site, 'pages');
const out = resolve(process.argv[2] ?? join(root, 'dist-site'));

rmSync(pages, { recursive: true, force: true });
cpSync(join(root, 'docs'), pages, { recursive: true });
cpSync(join(pages, 'README.md'), join(pages, 'index.md'));
rmSync(join(pages, 'README.md'));
rewrite(pages);
const { version } = JSON.parse(readFileSync(join(root, 'libs/platform/core/package.json'), 'utf8'));
const versions = process.env.SITE_VERSIONS?.split(',') ?? [];
writeFileSync(join(pages, 'release.json'), JSON.stringify({ version, versions }));
writeFileSync(join(pages, 'changelog.md'), changelog());
cpSync(join(pages, 'openapi.json'), join(pages, 'public/openapi.json'));
writeFileSync(join(pages, 'public/postman.json'), postman());

const [, icon = ''] = /`(<svg.+<\/svg>)/s.exec(readFileSync(join(root, 'apps/api/src/pages/favicon.ts'), 'utf8')) ?? [];
writeFileSync(join(pages, 'public/favicon.svg'), icon);

run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
run('npx', ['vitepress', 'build'], { SITE_OUT: out });
console.log(`The site is in ${out}. To read it: npx serve ${out}`);

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [variables] */
function run(command, args, variables = {}) {
  execFileSync(command, args, { cwd: site, stdio: 'inherit', env: { ...process.env, ...variables } });
}

/** Adapts the Markdown to VitePress: renames the overview, and begins the paths of images with a dot. */
function rewrite(/** @type {string} */ folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) rewrite(path);
    if (!entry.name.endsWith('.md')) continue;
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replaceAll('src="images/', 'src="./images/').replaceAll(/\]\(((?:\.\.\/)*)README\.md/g, '](./$1index.md'),
    );
  }
}

/** Returns the release's Postman collection with the address of a running service that shows the documents. */
function postman() {
  const require = createRequire(import.meta.url);
  require('../../libs/testing/jest/typescript-sources.cjs');
  const { postmanCollection } = require('../../apps/api/src/openapi/postman/postman-collection.ts');
  return JSON.stringify(
    postmanCollection(wholeDocument(JSON.parse(readFileSync(join(pages, 'openapi.json'), 'utf8')))),
  );
}

/** Returns the changes of all packages by version, the newest first. Each change appears once. */
function changelog() {
  /** @type {Map<string, Set<string>>} */
  const byVersion = new Map([['Next version', new Set(pending())]]);
  for (const group of readdirSync(join(root, 'libs'))) {
    for (const name of readdirSync(join(root, 'libs', group))) collect(join(root, 'libs', group, name, 'CHANGELOG.md'));
  }
  const sections = [...byVersion].map(([name, changes]) => `## ${name}\n\n${[...changes].join('\n')}\n`);
  return `# Changelog\n\n${sections.join('\n')}`;

  function collect(/** @type {string} */ file) {
    if (!existsSync(file)) return;
    for (const section of readFileSync(file, 'utf8').split(/^## /m).slice(1)) {
      const [name = '', ...lines] = section.split('\n');
      const known = byVersion.get(name) ?? new Set();
      byVersion.set(name, known);
      for (const line of lines) if (line !== '' && !/^###|Updated dependencies/.test(line)) known.add(line);
    }
  }
}

/** Returns the changes that no release has yet. */
function pending() {
  const files = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return files.map((name) => {
    const [, , text = ''] = readFileSync(join(root, '.changeset', name), 'utf8').split(/^---$/m);
    return `- ${text.trim().replaceAll(/\s*\n\s*/g, ' ')}`;
  });
}
