import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTemplates } from './template-files.js';
import { writeTranslations } from './translation-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'passwright-translations-'));
  mkdirSync(join(folder, 'sale'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

describe('the translations of a template in files', () => {
  it('a template has the texts in its own file and the texts in its translation files', async () => {
    write('sale.yaml', 'title: Sale\ntranslations:\n  fr:\n    title: Soldes\n');
    write('sale/de.yaml', '# checked\ntitle: Schlussverkauf\n');
    write('sale/pt-br.json', '{"title": "Saldos"}');
    write('sale/icon.png', 'not a text');
    const [{ body, own, translations } = { body: {}, own: {}, translations: [] }] = await readTemplates(folder);
    expect(body).toEqual({
      title: 'Sale',
      translations: { fr: { title: 'Soldes' }, de: { title: 'Schlussverkauf' }, 'pt-BR': { title: 'Saldos' } },
    });
    expect(own).toEqual({ title: 'Sale', translations: { fr: { title: 'Soldes' } } });
    expect(translations).toHaveLength(2);
  });

  it.each([
    [{ 'sale/german.yaml': 'title: x' }, /german\.yaml: "german" is not the tag of a language/],
    [{ 'sale/de.yaml': 'title: x', 'sale/DE.json': '{}' }, /DE\.json and .*de\.yaml are the same language/],
    [{ 'sale/de.yaml': '- x' }, /de\.yaml contains no texts/],
    [{ 'sale/de.yaml': 'title: a\n  b: c' }, /de\.yaml: .* at line/],
    [{ 'sale/fr.yaml': 'title: x' }, /sale\.yaml and .*fr\.yaml both have texts in fr/],
  ])('the translation files %j are rejected with an error that names the file', async (files, message) => {
    write('sale.yaml', 'title: Sale\ntranslations: {"FR": {"title": "Soldes"}}\n');
    for (const [path, text] of Object.entries(files)) write(path, text);
    await expect(readTemplates(folder)).rejects.toThrow(message);
  });

  it('a pull writes each language into its file, keeps comments, and deletes the file of a removed language', async () => {
    write('sale.yaml', 'title: Sale\ntranslations:\n  fr:\n    title: Soldes\n');
    write('sale/de.yaml', '# checked\ntitle: Schlussverkauf\n');
    write('sale/sv.yaml', 'title: Rea\n');
    write('sale/it.yaml', "title: 'Saldi' # the same\n");
    const [file] = await readTemplates(folder);
    const translations = {
      fr: { title: 'Solde' },
      de: { title: 'Ausverkauf', issuerName: 'Kaffee' },
      it: { title: 'Saldi' },
      ja: { title: 'セール' },
    };
    const before = { own: file!.own, files: file!.translations };
    const body = await writeTranslations({ title: 'Sale', translations }, file!.path, 'sale', before);
    expect(body).toEqual({ title: 'Sale', translations: { fr: { title: 'Solde' } } });
    expect(read('sale/de.yaml')).toBe('# checked\ntitle: Ausverkauf\nissuerName: Kaffee\n');
    expect(read('sale/it.yaml')).toBe("title: 'Saldi' # the same\n");
    expect(read('sale/ja.yaml')).toBe('title: セール\n');
    expect(existsSync(join(folder, 'sale/sv.yaml'))).toBe(false);
  });

  it('a pull writes translation files in JSON if the template file is JSON', async () => {
    const path = join(folder, 'sale.json');
    const body = { title: 'Sale', translations: { de: { title: 'Ausverkauf' } } };
    expect(await writeTranslations(body, path, 'sale', { own: {}, files: [] })).toEqual({ title: 'Sale' });
    expect(JSON.parse(read('sale/de.json'))).toEqual({ title: 'Ausverkauf' });
  });
});
