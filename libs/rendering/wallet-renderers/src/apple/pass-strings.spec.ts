import fc from 'fast-check';
import type { RenderPass, RenderTemplate } from '../model.js';
import { aField, anAppleContext, anyTemplateAndPass, aPass, aTemplate } from '../render.fixtures.js';
import { inLanguage } from '../translations/in-language.js';
import { anyTranslated } from '../translations.fixtures.js';
import { applePassJson } from './pass-json.js';
import { type LocalisedPass, localisedPass } from './pass-strings.js';

const context = anAppleContext();
const build = (template: RenderTemplate, pass: RenderPass) => localisedPass(template, pass, context);

type Table = ReadonlyMap<string, string>;

/** Reads string tables as a device does. @throws if a file is not a valid string table */
function tablesOf({ files }: LocalisedPass): Map<string, Table> {
  return new Map(
    files.map(({ name, data }) => {
      const language = /^([A-Za-z0-9-]+)\.lproj\/pass\.strings$/.exec(name)?.[1];
      if (language === undefined) throw new Error(`"${name}" is not a string table`);
      return [language, tableOf(new TextDecoder('utf-8', { fatal: true }).decode(data))];
    }),
  );
}

function tableOf(text: string): Table {
  const table = new Map<string, string>();
  let at = 0;
  const expected = (sign: string) => {
    if (!text.startsWith(sign, at)) throw new Error(`no ${sign} at ${at} of ${JSON.stringify(text)}`);
    at += sign.length;
  };
  const quoted = () => {
    expected('"');
    let read = '';
    for (; text[at] !== '"'; at += 1) {
      const isEscaped = text[at] === '\\';
      if (isEscaped) at += 1;
      const sign = text[at];
      if (sign === undefined || sign === '\n') throw new Error('a text does not end');
      read += isEscaped ? ({ n: '\n', r: '\r', t: '\t' }[sign] ?? sign) : sign;
    }
    expected('"');
    return read;
  };
  while (at < text.length) {
    const key = quoted();
    expected(' = ');
    if (table.has(key)) throw new Error(`"${key}" is there twice`);
    table.set(key, quoted());
    expected(';\n');
  }
  return table;
}

/** Returns pass.json with the texts that a device shows in a language. */
function shownBy(json: unknown, table: Table): unknown {
  const looked = ['organizationName', 'description', 'logoText', 'label', 'value', 'changeMessage', 'relevantText'];
  return JSON.parse(JSON.stringify(json), (name, value: unknown) =>
    typeof value === 'string' && looked.includes(name) ? (table.get(value) ?? value) : value,
  );
}

/** Removes the semantics, because devices do not translate the texts in them. */
const withoutSemantics = (json: object) => ({ ...json, semantics: undefined });

describe('the string tables of a pass', () => {
  const template = aTemplate('event', {
    language: 'en',
    translations: { de: { title: 'Herbstkonzert', 'fields.row.label': 'Reihe' }, 'pt-BR': { title: 'Concerto' } },
  });

  it('a message is in the string table of each of its languages, even in an otherwise untranslated pass', () => {
    const sentAt = '2026-11-20T10:00:00.000Z';
    const message = { title: 'Gate change', text: 'Use gate C.', sentAt, translations: { de: { text: 'Eingang C.' } } };
    const pass = aPass('offer', { messages: [message] });
    const tables = tablesOf(build(aTemplate('offer'), pass));
    expect([...tables.keys()]).toEqual(['en', 'de']);
    expect(tables.get('de')?.get('Gate change: Use gate C.')).toBe('Gate change: Eingang C.');
    expect(tables.get('de')?.get('Message')).toBe('Nachricht');
    expect(tables.get('en')?.get('Message')).toBe('Message');
  });

  it('the string tables of a pass have the same keys in every language', () => {
    const built = build(template, aPass('event'));
    const text = (name: string) => Buffer.from(built.files.find((file) => file.name === name)!.data).toString('utf8');
    expect(built.files.map(({ name }) => name)).toEqual([
      'en.lproj/pass.strings',
      'de.lproj/pass.strings',
      'pt-BR.lproj/pass.strings',
    ]);
    expect(text('de.lproj/pass.strings')).toBe(
      [
        '"Autumn concert" = "Herbstkonzert";',
        '"Date" = "Datum";',
        '"Date: %@" = "Datum: %@";',
        '"Place" = "Ort";',
        '"Place: %@" = "Ort: %@";',
        '"Row" = "Reihe";',
        '"Row: %@" = "Reihe: %@";',
        '',
      ].join('\n'),
    );
    expect(text('en.lproj/pass.strings')).toMatch(/^"Autumn concert" = "Autumn concert";\n"Date" = "Date";\n/);
    expect(text('pt-BR.lproj/pass.strings')).toContain('"Row" = "Row";\n');
    const keys = [...tablesOf(built).values()].map((table) => [...table.keys()]);
    expect(new Set(keys.map(String)).size).toBe(1);
  });

  it('localisedPass returns no string tables for a pass without translations, and the same pass.json as applePassJson', () => {
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => {
        const { json, files } = build(template, pass);
        expect(files).toEqual([]);
        expect(JSON.stringify(json)).toBe(JSON.stringify(applePassJson(template, pass, context)));
      }),
    );
  });

  it('equal texts with different translations get keys that differ only in invisible characters', () => {
    const labels = { 'fields.a.label': 'Platz', 'fields.b.label': 'Ort' };
    const twins = aTemplate('offer', {
      fields: [aField('a', 'Place', 'Place'), aField('b', 'Place', 'x')],
      translations: { de: labels },
    });
    const built = build(twins, aPass('offer', { fields: [] }));
    const { secondaryFields } = built.json.coupon!;
    expect(secondaryFields.map(({ label }) => label?.replace(/\u200b/g, ''))).toEqual(['Place', 'Place']);
    expect(new Set(secondaryFields.flatMap(({ label, value }) => [label, value])).size).toBe(4);
    const german = shownBy(built.json, tablesOf(built).get('de')!) as typeof built.json;
    expect(german.coupon!.secondaryFields).toMatchObject([
      { label: 'Platz', value: 'Place' },
      { label: 'Ort', value: 'x' },
    ]);
  });

  it('a device whose language has a string table shows the pass as if it were written in that language', () => {
    fc.assert(
      fc.property(anyTranslated, ({ template, pass }) => {
        const built = build(template, pass);
        for (const [language, table] of tablesOf(built)) {
          const translated = inLanguage(template, pass, language);
          const written = applePassJson(translated.template, translated.pass, context);
          expect(shownBy(withoutSemantics(built.json), table)).toEqual(
            JSON.parse(JSON.stringify(withoutSemantics(written))),
          );
        }
      }),
    );
  });

  it("a device in any other language shows the texts in the template's language", () => {
    fc.assert(
      fc.property(anyTranslated, ({ template, pass }) => {
        const { json } = build(template, pass);
        const plain = JSON.stringify(applePassJson(template, pass, context));
        expect(JSON.stringify(json).replace(/\u200b/g, '')).toBe(plain.replace(/\u200b/g, ''));
      }),
    );
  });

  it('rendering the same template and pass twice gives the same tables both times', () => {
    fc.assert(
      fc.property(anyTranslated, ({ template, pass }) => {
        expect(build(structuredClone(template), structuredClone(pass))).toEqual(build(template, pass));
      }),
    );
  });
});

it.each([
  ['a "quoted" \\ text', '"a \\"quoted\\" \\\\ text"'],
  ['two\nlines\tand a tab', '"two\\nlines\\tand a tab"'],
  ['Crème brûlée 🍮', '"Crème brûlée 🍮"'],
  ['/* no comment */ // either', '"/* no comment */ // either"'],
])('a string table writes the text %j as %s', (title, written) => {
  const [file] = build(aTemplate('offer', { translations: { en: { title } } }), aPass('offer')).files;
  expect(Buffer.from(file!.data).toString('utf8')).toContain(`"Autumn concert" = ${written};\n`);
});

it('localisedPass leaves out languages when the texts of all languages together would be too long', () => {
  const value = (n: number) => `${n} ${'x'.repeat(3990)}`;
  const backFields = Array.from({ length: 100 }, (_, n) => aField(`k${n}`, 'L', value(n)));
  const tags = ['AT', 'BE', 'CH', 'DE', 'IT', 'LI', 'LU', 'NL'].map((region) => `de-${region}`);
  const translations = {
    de: Object.fromEntries(backFields.map(({ key }, n) => [`backFields.${key}.value`, `${value(n)}y`])),
    ...Object.fromEntries(tags.map((tag) => [tag, { title: 'Titel' }])),
  };
  const { files } = build(aTemplate('offer', { backFields, translations }), aPass('offer'));
  expect(files.map(({ name }) => name)).toEqual(['en.lproj/pass.strings', 'de.lproj/pass.strings']);
});
