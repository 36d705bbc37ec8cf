/**
 * npm run openapi:check: compares docs/openapi.json with the document of the last release. Fails on breaking changes,
 * unless the next version, which the changesets determine, may contain them.
 *
 * npm run openapi:release: saves docs/openapi.json as the document of the last release. Fails in the same way. Run it
 * at the end of a release.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
require('../libs/testing/jest/typescript-sources.cjs');
const { breakingChanges, mayBreak } = require('../apps/api/test/support/breaking-changes.ts');

const [current, released] = ['openapi.json', 'openapi.released.json'].map(
  (name) => new URL(`../docs/${name}`, import.meta.url),
);

const after = JSON.parse(readFileSync(current, 'utf8'));
const before = existsSync(released) ? JSON.parse(readFileSync(released, 'utf8')) : after;
const problems = breakingChanges(before, after);
const versions = { before: before.info.version, after: (await nextVersion()) ?? after.info.version };

if (problems.length > 0 && !mayBreak(versions.before, versions.after)) {
  console.error(
    `Clients of ${versions.before} would break:\n\n${problems.map((problem) => `  ${problem}`).join('\n')}\n`,
  );
  console.error('Leave these as they were, or add a changeset of the kind major, below 1.0 minor: npx changeset add');
  process.exit(1);
}
console.log(
  `${versions.after} breaks ${problems.length === 0 ? 'nothing' : `${problems.length} promises`} of ${versions.before}.`,
);
if (process.argv[2] === 'release') writeFileSync(released, `${JSON.stringify(after)}\n`);

/** @returns the next version according to the changesets; undefined if they do not change it */
async function nextVersion() {
  const changesets = createRequire(require.resolve('@changesets/cli/package.json'));
  const { default: getReleasePlan } = changesets('@changesets/get-release-plan');
  const { releases } = await getReleasePlan(fileURLToPath(new URL('..', import.meta.url)));
  return releases.find(({ name }) => name === '@passwright/api')?.newVersion;
}
