/** Skips single tests on Citus, which tools/citus-exceptions.json lists by a part of their titles. */
const { readFileSync } = require('node:fs');

/**
 * Skips tests of a spec. @throws Error if the list names a test that does not exist
 * @param {string} path of the spec
 * @param {import('@jest/types').Circus.DescribeBlock} block
 */
function leaveOut(path, block) {
  const { CITUS_EXCEPTIONS: file } = process.env;
  if (!file) return;
  /** @type {{ spec: string, tests?: string[] }[]} */
  const exceptions = JSON.parse(readFileSync(file, 'utf8'));
  const all = testsOf(block);
  for (const { tests = [] } of exceptions.filter(({ spec }) => path.endsWith(`/${spec}`))) {
    for (const title of tests) {
      const named = all.filter((test) => test.name.includes(title));
      if (named.length === 0) throw new Error(`${file} names a test that does not exist: ${title}`);
      for (const test of named) test.mode = 'skip';
    }
  }
}

/** @param {import('@jest/types').Circus.DescribeBlock} block @returns {import('@jest/types').Circus.TestEntry[]} */
function testsOf({ children }) {
  return children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));
}

module.exports = { leaveOut };
