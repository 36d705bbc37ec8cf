// npm run openapi:check: fails if docs/openapi.json breaks promises of the last release.
// npm run openapi:release: makes docs/openapi.json the document of the last release, unless it breaks a promise. Run it
// at the end of a release.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('../libs/testing/jest/typescript-sources.cjs');
const { breakingChanges, mayBreak } = require('../apps/api/test/support/breaking-changes.ts');

const [current, released] = ['openapi.json', 'openapi.released.json'].map(
  (name) => new URL(`../docs/${name}`, import.meta.url),
);

const after = JSON.parse(readFileSync(current, 'utf8'));
const before = existsSync(released) ? JSON.parse(readFileSync(released, 'utf8')) : after;
const problems = breakingChanges(before, after);
const versions = { before: before.info.version, after: after.info.version };

if (problems.length > 0 && !mayBreak(versions.before, versions.after)) {
  console.error(
    `Clients of ${versions.before} would break:\n\n${problems.map((problem) => `  ${problem}`).join('\n')}\n`,
  );
  console.error(
    `Leave these as they were, or raise the version in apps/api/src/openapi/openapi.ts: the major one, below 1.0 the minor one.`,
  );
  process.exit(1);
}
console.log(
  `${versions.after} breaks ${problems.length === 0 ? 'nothing' : `${problems.length} promises`} of ${versions.before}.`,
);
if (process.argv[2] === 'release') writeFileSync(released, `${JSON.stringify(after)}\n`);
