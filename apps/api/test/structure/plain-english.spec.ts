import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface PlainEnglish {
  docstringFault(text: string): object | null;
  titleFault(title: string): object | null;
}

const root = join(__dirname, '../../../..');
const { docstringFault, titleFault } = createRequire(__filename)(
  join(root, 'tools/eslint/plain-english.cjs'),
) as PlainEnglish;
const sources = ['apps', 'libs', 'examples', 'tools'].flatMap((folder) => scripts(join(root, folder)));

/** The numbers of remaining faults. Lower a number after you have fixed some; never raise it. */
const left = { docstrings: 267, titles: 40 };

describe('the words of the sources', () => {
  it('no docstring is added that begins with a word like «What»', () => {
    expect(sources.flatMap(docstrings).filter(docstringFault).length).toBeLessThanOrEqual(left.docstrings);
  });

  it('no test title is added that is a sentence fragment', () => {
    const specs = sources.filter(({ path }) => path.endsWith('spec.ts'));
    expect(specs.flatMap(titles).filter(titleFault).length).toBeLessThanOrEqual(left.titles);
  });
});

interface Source {
  readonly path: string;
  readonly text: string;
}

function scripts(folder: string): Source[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist', 'data'].includes(entry.name) ? [] : scripts(path);
    return /\.(ts|mjs|cjs)$/.test(entry.name) ? [{ path, text: readFileSync(path, 'utf8') }] : [];
  });
}

function docstrings({ text }: Source): string[] {
  return [...text.matchAll(/\/\*(\*[\s\S]*?)\*\//g)].map(([, comment]) => comment as string);
}

/** Finds `it('…'` and `it.each([…])('…'`. */
function titles({ text }: Source): string[] {
  const calls = text.matchAll(/(?:\b(?:it|test)(?:\.\w+)*|\])\)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g);
  return [...calls].map(([, , title]) => title as string);
}
