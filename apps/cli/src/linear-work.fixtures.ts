import type { WorkCase } from '@passwright/testing';
import { readMapOption } from './passes/rows/mapping.js';
import { changedText } from './templates/file-text.js';
import { bodyOf } from './templates/template-parser.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const read = (text: string) => bodyOf(text, 'template.yaml');

/** The parsers of this package, each with its most expensive input. */
export const cases: readonly WorkCase[] = [
  ['YAML of a list', (size: number) => `fields:\n${'  - a\n'.repeat(size)}`, read],
  ['YAML of comments', repeated('# a\n'), read],
  ['YAML of blank lines', repeated('\n'), read],
  ['YAML of one long text', (size: number) => `title: "${'a '.repeat(size)}"`, read],
  ['YAML of a text on many lines', (size: number) => `title: |\n${'  a\n'.repeat(size)}`, read],
  ['YAML in brackets', (size: number) => `fields: [${'a, '.repeat(size)}]`, read],
  [
    'YAML that is written again',
    (size: number) => `fields:\n${'  - a\n'.repeat(size)}`,
    (text: string) => changedText(text, 'template.yaml', read(text)),
  ],
  ['an option that maps columns', repeated('a='), (text: string) => readMapOption(text)],
];
