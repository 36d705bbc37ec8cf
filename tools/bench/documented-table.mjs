/**
 * Writes a table of measurements into a document, between two comments such as `<!-- costs -->` and `<!-- /costs -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const scaling = fileURLToPath(new URL('../../docs/scaling.md', import.meta.url));

/**
 * Replaces the text between two comments of a page.
 * @param name the name in the comments, such as `costs`
 */
export function writeTable(name, conditions, table, page = scaling) {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  if (!text.includes(begin) || !text.includes(end))
    throw new Error(`${page} has no place for the table: ${begin} ${end}`);
  const [before] = text.split(begin);
  const [, after] = text.split(end);
  writeFileSync(page, `${before}${begin}\n\n${conditions}\n\n${table}\n\n${end}${after}`);
}
