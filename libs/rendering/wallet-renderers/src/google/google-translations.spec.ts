import fc from 'fast-check';
import { googleProblems } from '@passwright/google-wallet-schema';
import type { RenderPass, RenderTemplate } from '../model.js';
import { aField, anyTemplateAndPass, aPass, aTemplate, renderTypes } from '../render.fixtures.js';
import { inLanguage, ownLanguage, templateInLanguage, translatedLanguages } from '../translations/in-language.js';
import { withGeneralTags } from '../translations/language-tag.js';
import { anyTranslated } from '../translations.fixtures.js';
import { googleClass } from './google-class.js';
import { googleObject } from './google-object.js';
import type { GooglePart } from './google-part.js';

const issuer = '3388000000012345678';
const classId = `${issuer}.offer_0123456789abcdef`;
const ids = { objectId: `${issuer}.4fQz8LwXk2bN0aVtYc7mRd`, classId };
const images = {
  logo: 'https://passes.example.com/images/a.png',
  wideLogo: 'https://passes.example.com/images/b.png',
  hero: 'https://passes.example.com/images/c.png',
};
const now = new Date('2026-11-20T09:00:00.000Z');
const context = { language: 'en', images, callbackUrl: null, now };

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

const classOf = (template: RenderTemplate) => googleClass(template, classId, context);
const objectOf = (template: RenderTemplate, pass: RenderPass) => googleObject(template, pass, ids, context);

/** Returns a class or object as a phone in a language shows it: each text in that language, and no translations. */
function shownIn(part: GooglePart, language: string): Json {
  const text = ({ defaultValue, translatedValues = [] }: Json) => {
    const tags = withGeneralTags(language);
    const values: Json[] = [defaultValue, ...translatedValues];
    const found = tags.flatMap((tag) => values.find((each) => each.language === tag) ?? []);
    return (found[0] ?? defaultValue).value;
  };
  return JSON.parse(JSON.stringify(part.body), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const json = value as Json;
    if (json.defaultValue) return text(json);
    return Object.fromEntries(
      Object.entries(json)
        .filter(([name]) => !name.startsWith('localized'))
        .map(([name, each]) => [name, json[`localized${name.charAt(0).toUpperCase()}${name.slice(1)}`] ?? each]),
    );
  });
}

describe('any translated class and object', () => {
  it("every translated class and object conforms to Google's schema and has only managed properties", () => {
    fc.assert(
      fc.property(anyTranslated, ({ template, pass }) => {
        for (const part of [classOf(template), objectOf(template, pass)]) {
          expect(googleProblems(part.vertical, part.part, part.body)).toEqual([]);
          expect(part.owned).toEqual(expect.arrayContaining(Object.keys(part.body)));
        }
      }),
    );
  });

  it("a phone shows a translated class and object as if they were written in the phone's language", () => {
    fc.assert(
      fc.property(anyTranslated, ({ template, pass }) => {
        const own = ownLanguage(template, 'en');
        for (const language of new Set([own, 'sw', ...translatedLanguages(template, pass)])) {
          const known = language === 'sw' ? own : language;
          const written = inLanguage(template, pass, known, { keepLinks: true });
          const plain = { translations: null };
          const writtenPass = { ...written.pass, ...plain };
          // A class is translated only into the languages of its template, not into the languages of its passes.
          const isTranslated = withGeneralTags(known).some((tag) => translatedLanguages(template).includes(tag));
          const inClass = templateInLanguage(template, isTranslated ? known : own);
          expect(shownIn(classOf(template), language)).toEqual(shownIn(classOf({ ...inClass, ...plain }), known));
          // Google stores the name of a member only once, for all languages.
          const named = template.type === 'membership' ? { accountName: expect.anything() } : {};
          const inObject = shownIn(objectOf({ ...written.template, ...plain }, writtenPass), known);
          expect(shownIn(objectOf(template, pass), language)).toEqual({
            ...inObject,
            ...('accountName' in inObject && named),
          });
        }
      }),
    );
  });

  it('a class and an object without translations contain no translation properties', () => {
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => {
        const parts = [classOf(template), objectOf(template, pass)];
        expect(JSON.stringify(parts)).not.toMatch(/"translatedValues"|"localized[A-Z]/);
      }),
    );
  });
});

it('an object contains its texts in its own language, and in the languages of its template and of its pass', () => {
  const template = aTemplate('generic', {
    language: 'fr',
    fields: [aField('points', 'Points', '3')],
    backFields: [],
    translations: { de: { title: 'Konzert', 'fields.points.label': 'Punkte' } },
  });
  const pass = aPass('generic', {
    primaryValue: 'Trois',
    fields: [],
    backFields: [aField('site', 'Site', 'https://a.example')],
    translations: {
      sv: { primaryValue: 'Tre', 'backFields.site.label': 'Sida', 'backFields.site.value': 'https://sv.example' },
    },
  });
  const { body } = objectOf(template, pass);
  expect(body).toMatchObject({
    cardTitle: {
      defaultValue: { language: 'fr', value: 'Autumn concert' },
      translatedValues: [
        { language: 'de', value: 'Konzert' },
        { language: 'sv', value: 'Autumn concert' },
      ],
    },
    header: {
      defaultValue: { language: 'fr', value: 'Trois' },
      translatedValues: [
        { language: 'de', value: 'Trois' },
        { language: 'sv', value: 'Tre' },
      ],
    },
  });
  expect((body.textModulesData as Json[])[0]).toMatchObject({
    header: 'Points',
    localizedHeader: { translatedValues: [{ value: 'Punkte' }, { value: 'Points' }] },
  });
  expect(body.textModulesData).toContainEqual(
    expect.objectContaining({
      header: 'Émis par',
      localizedHeader: {
        defaultValue: { language: 'fr', value: 'Émis par' },
        translatedValues: [
          { language: 'de', value: 'Ausgestellt von' },
          { language: 'sv', value: 'Issued by' },
        ],
      },
    }),
  );
  // Google stores one address per link for all languages.
  expect(body.linksModuleData).toMatchObject({
    uris: [
      { uri: 'https://a.example/', localizedDescription: { translatedValues: [{ value: 'Site' }, { value: 'Sida' }] } },
    ],
  });
});

it.each(renderTypes)('a class of type %s removes its translations from Google when the template loses them', (type) => {
  const lost = googleClass(aTemplate(type, { translations: {} }), classId, context);
  const never = googleClass(aTemplate(type), classId, context);
  expect(shownIn(lost, 'de')).toEqual(shownIn(never, 'de'));
  // An empty list removes `translatedValues`. An update clears all other translations by their names.
  expect(JSON.stringify(lost.body)).not.toMatch(/"translatedValues":\[\{/);
  const added = lost.owned.filter((name) => !never.owned.includes(name));
  const expected = { offer: 3, event: 1, generic: 0, membership: 3 };
  expect(added).toHaveLength(expected[type]);
});
