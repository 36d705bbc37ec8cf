/**
 * Prints the plan for a billion passes: its tables, and a simulation of the queues. The input is parameters.json or
 * another file, and the costs in docs/scaling.md.
 *
 *   npm run bench:plan -- [file of parameters] [--write into docs/a-billion-passes.md] [--check that the page is up to date]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { here, measuredCosts, readParameters } from './sizing.mjs';
import { tablesOf } from './tables.mjs';

const page = here('../../docs/a-billion-passes.md');
const file = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const tables = tablesOf(readParameters(file), measuredCosts());
const before = readFileSync(page, 'utf8');

if (process.argv.includes('--check')) {
  if ((await written()) !== before) {
    console.error('docs/a-billion-passes.md is not up to date: run npm run bench:plan -- --write');
    process.exitCode = 1;
  }
} else if (process.argv.includes('--write')) writeFileSync(page, await written());
else for (const [name, table] of Object.entries(tables)) console.log(`${name}\n\n${table}\n`);

/** Returns the page with all tables, formatted with the repository's rules. */
async function written() {
  let text = before;
  for (const [name, table] of Object.entries(tables)) {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    if (!text.includes(begin) || !text.includes(end)) throw new Error(`${page} has no place for ${begin} ${end}`);
    text = `${text.split(begin)[0]}${begin}\n\n${table}\n\n${end}${text.split(end)[1]}`;
  }
  return format(text, { ...(await resolveConfig(page)), parser: 'markdown' });
}
