import fc from 'fast-check';
import type { RenderPass, RenderTemplate, Translations } from '../model.js';
import { aField, aPass, aTemplate } from '../render.fixtures.js';
import {
  forReader,
  inLanguage,
  languagesForHolder,
  templateInLanguage,
  titleInLanguage,
  translatedLanguages,
} from './in-language.js';
import { textsOfPass, textsOfTemplate } from './translatable-texts.js';
import { anyLanguage, anyTranslated } from '../translations.fixtures.js';

const german: Translations = {
  de: {
    title: 'Herbstkonzert',
    'fields.row.label': 'Reihe',
    'fields.seat.label': 'Platz',
    'fields.seat.value': 'zwölf',
    'backFields.terms.value': 'Keine Erstattung.',
    'location.address': 'Kai 1, Hamburg',
    'locations.0.relevantText': 'Programm hier',
  },
  'de-AT': { title: 'Konzert im Herbst' },
};
const template = aTemplate('event', { translations: german });
const pass = aPass('event');
const shownIn = (language: string, of: RenderPass = pass) => inLanguage(template, of, language);

describe('a template and a pass in a language', () => {
  it('inLanguage returns the translations of the language, and original texts where a translation is missing', () => {
    const { template: shown } = shownIn('de');
    expect(shown).toMatchObject({ language: 'de', title: 'Herbstkonzert', issuerName: 'Harbour Hall' });
    expect(shown.fields).toEqual([aField('row', 'Reihe', '7'), aField('seat', 'Platz', 'zwölf')]);
    expect(shown.backFields).toEqual([aField('terms', 'Terms', 'Keine Erstattung.')]);
    expect(shown.location).toMatchObject({ name: 'Harbour Hall', address: 'Kai 1, Hamburg' });
    expect(shown.locations[0]).toMatchObject({ name: 'Box office', relevantText: 'Programm hier' });
  });

  it('a translation for a region takes precedence over a translation for its language', () => {
    const { title, fields } = shownIn('de-AT').template;
    expect([title, fields[0]?.label]).toEqual(['Konzert im Herbst', 'Reihe']);
  });

  it('readers of de-AT see the original texts of a template in de-AT, and readers of de see its translations into de', () => {
    const sentAt = '2026-11-20T10:00:00.000Z';
    const messages = [{ title: null, text: 'Servus', sentAt, translations: { de: { text: 'Hallo' } } }];
    const own = { ...template, language: 'de-AT', translations: { de: german.de! } };
    const writtenFor = (language: string) => {
      const shown = inLanguage(own, aPass('event', { messages, translations: german }), language);
      return [shown.template.title, shown.pass.fields[0]?.value, shown.pass.messages?.[0]?.text];
    };
    const translated = aTemplate('event');
    expect(writtenFor('de-AT')).toEqual([translated.title, '14', 'Servus']);
    expect(writtenFor('de')).toEqual(['Herbstkonzert', 'zwölf', 'Hallo']);
    expect(titleInLanguage(own, 'de-AT')).toBe(translated.title);
    const unnamed = { ...own, language: null };
    expect(forReader(unnamed, pass, ['de-AT'], 'de-AT').template.title).toBe(translated.title);
    expect(forReader(unnamed, pass, ['de-CH'], 'de-AT').template.title).toBe('Herbstkonzert');
  });

  it('a field shows its own values in other languages unless a translation replaces them', () => {
    const gate = { ...aField('gate', 'Gate', 'None'), valueIn: { de: 'Keins', en: 'Any' } };
    const of = { ...template, language: 'en', translations: { de: {}, 'de-AT': {}, sv: {} } };
    const shown = (language: string, own: Translations | null = null) =>
      inLanguage(of, aPass('event', { fields: [gate], translations: own }), language).pass.fields[0]?.value;
    expect(['de', 'de-AT', 'en', 'sv'].map((language) => shown(language))).toEqual(['Keins', 'Keins', 'Any', 'None']);
    expect(shown('de', { de: { 'fields.gate.value': 'Tor' } })).toBe('Tor');
  });

  it('inLanguage leaves all texts unchanged in a language without translations', () => {
    expect(shownIn('sv')).toEqual({ template: { ...template, language: 'sv' }, pass });
  });

  it('a pass field with the same label as the template’s gets the translated label, and keeps its own value', () => {
    // The pass has the seat 14, and the template has the seat 12.
    expect(shownIn('de').pass.fields).toEqual([aField('seat', 'Platz', '14'), aField('gate', 'Gate', 'B')]);
    const renamed = aPass('event', { fields: [aField('seat', 'Chair', '14')] });
    expect(shownIn('de', renamed).pass.fields).toEqual([aField('seat', 'Chair', '14')]);
  });

  it("a pass's translations take precedence over its template's, even for fields that the pass inherits", () => {
    const own = { de: { 'fields.seat.label': 'Stuhl', 'fields.seat.value': 'vierzehn', 'fields.row.label': 'Rang' } };
    const shown = shownIn('de', aPass('event', { translations: own }));
    expect(shown.pass.fields[0]).toEqual(aField('seat', 'Stuhl', 'vierzehn'));
    expect(shown.template.fields[0]).toEqual(aField('row', 'Rang', '7'));
    expect(shown.template.title).toBe('Herbstkonzert');
  });

  it('a pass cannot translate the title or the locations of its template', () => {
    const own = { de: { title: 'X', 'locations.0.relevantText': 'X' } };
    const shown = inLanguage(aTemplate('event'), aPass('event', { translations: own }), 'de').template;
    expect(shown).toEqual({ ...aTemplate('event'), language: 'de' });
  });

  it('a field with the key constructor, which every JavaScript object has, is not translated', () => {
    const field = aField('constructor', 'Label', 'Value');
    const odd = aTemplate('offer', { fields: [field], translations: { de: {} } });
    expect(templateInLanguage(odd, 'de').fields).toEqual([field]);
    expect(templateInLanguage({ ...odd, translations: {} }, 'de').title).toBe(odd.title);
  });

  it('every text that may be translated appears in its language, and no other text changes', () => {
    const texts = (one: RenderTemplate, other: RenderPass) => [
      ...textsOfTemplate(one),
      ...textsOfPass({ fields: [], backFields: [] }, other),
    ];
    fc.assert(
      fc.property(anyTranslated, anyLanguage, ({ template: own, pass: ownPass }, language) => {
        const shown = inLanguage(own, ownPass, language);
        const before = texts(own, ownPass);
        const after = texts(shown.template, shown.pass);
        // A translation neither adds nor removes texts, so that the layout of a pass is the same in every language.
        expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
        const tags = own.language === language ? [language] : [language, language.split('-')[0]!];
        const titles = tags.flatMap((tag) => own.translations?.[tag]?.title ?? []);
        expect(shown.template.title).toBe(own.title.trim() === '' ? own.title : (titles[0] ?? own.title));
        expect(titleInLanguage(own, language)).toBe(shown.template.title);
      }),
    );
  });
});

describe('the addresses of actions', () => {
  const actions = [
    { type: 'shop' as const, url: 'https://a.example' },
    { type: 'call' as const, url: 'tel:+4722334455' },
  ];
  const urls = { 'actions.0.url': 'https://a.example/de', 'actions.1.url': 'https://not-a-number.example' };

  it("an action has the address of the reader's language if that address suits the type of the action", () => {
    const own = { actions, translations: { de: urls } };
    const expected = ['https://a.example/de', 'tel:+4722334455'];
    const shown = inLanguage(aTemplate('offer', own), aPass('offer', own), 'de');
    expect(shown.template.actions?.map(({ url }) => url)).toEqual(expected);
    expect(shown.pass.actions?.map(({ url }) => url)).toEqual(expected);
  });

  it('an action keeps its address if `keepLinks` is set, for wallets that store one address for all languages', () => {
    const own = { actions, translations: { de: urls } };
    expect(inLanguage(aTemplate('offer', own), aPass('offer'), 'de', { keepLinks: true }).template.actions).toBe(
      actions,
    );
  });
});

describe('the messages of a pass', () => {
  const sentAt = '2026-11-20T10:00:00.000Z';
  const translations = { de: { title: 'Eingang', text: 'Nehmen Sie Eingang C.' }, fr: { text: 'Porte C.' } };
  const messages = [{ title: 'Gate change', text: 'Use gate C.', sentAt, translations }];
  const messaged = aPass('offer', { messages });
  const shown = (...wanted: string[]) => {
    const [message] = forReader(aTemplate('offer'), messaged, wanted).pass.messages ?? [];
    return [message?.title, message?.text];
  };

  it('a reader sees a message in their language, with its original title if the title is not translated', () => {
    expect(shown('de-AT')).toEqual(['Eingang', 'Nehmen Sie Eingang C.']);
    expect(shown('fr')).toEqual(['Gate change', 'Porte C.']);
    expect(shown('sv', 'en')).toEqual(['Gate change', 'Use gate C.']);
  });

  it('languagesForHolder includes the languages of messages', () => {
    expect(languagesForHolder(aTemplate('offer'), messaged)).toEqual(['de', 'fr']);
    expect(languagesForHolder(template, aPass('event', { messages: [] }))).toEqual(['de', 'de-AT']);
  });

  it('languagesForHolder adds languages of messages up to a total of 80, and always includes those of the template', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const tags = letters.flatMap((first) => letters.map((second) => `aa-${first}${second}`));
    const messages = Array.from({ length: 10 }, (_, index) => ({
      title: null,
      text: 'Hello',
      translations: Object.fromEntries(tags.slice(40 * index, 40 * index + 40).map((tag) => [tag, { text: 'x' }])),
      sentAt,
    }));
    const languages = languagesForHolder(template, aPass('event', { messages }));
    expect(languages).toEqual([...tags.slice(0, 78), 'de', 'de-AT']);
  });
});

describe('a reader', () => {
  it('a reader sees the best available language, or the original texts if no language suits', () => {
    const title = (...wanted: string[]) => forReader(template, pass, wanted).template.title;
    expect(title('de-CH', 'en')).toBe('Herbstkonzert');
    expect(title('en-US', 'de')).toBe('Autumn concert');
    expect(title('sv')).toBe('Autumn concert');
    expect(forReader({ ...template, language: 'fr' }, pass, ['en', 'de']).template.title).toBe('Herbstkonzert');
    expect(forReader(template, pass, ['sv', 'de'], 'sv').template.title).toBe('Autumn concert');
  });

  it('forReader returns the template itself if nothing is translated', () => {
    const plain = aTemplate('offer');
    expect(forReader(plain, pass, ['de']).template).toBe(plain);
  });
});

it('translatedLanguages lists the languages of template and pass without duplicates, sorted', () => {
  const own = aPass('event', { translations: { fr: { 'fields.gate.label': 'Porte' }, de: {} } });
  expect(translatedLanguages(template, own, aTemplate('offer'))).toEqual(['de', 'de-AT', 'fr']);
});
