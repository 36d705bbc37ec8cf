import { pathOf, purposeOf, tablesOf, tagOf, textsOf, withTable, withTranslation } from './translations.js';

const body = {
  title: 'Tea',
  fields: [{ key: 'tier', label: 'Tier', value: 'Gold', changeMessage: '' }],
  backFields: [{ key: 'terms', label: 'Terms', value: '', changeMessage: 'no' }],
  location: { name: 'Hall', address: 'Road 1' },
  locations: [{ address: 'Road 2', relevantText: 'Here' }],
  actions: [{ type: 'shop', url: 'https://example.com' }],
  icon: 'https://example.com/icon.png',
  logo: 'https://example.com/logo.png',
};

it('textsOf lists the texts that are not empty, by the keys of the API', () => {
  expect(textsOf(body).map(({ key }) => key)).toEqual([
    ...['title', 'fields.tier.label', 'fields.tier.value', 'backFields.terms.label'],
    ...['location.name', 'location.address', 'locations.0.address', 'locations.0.relevantText'],
    ...['actions.0.url', 'images.logo'],
  ]);
});

it('purposeOf returns the image of a key, and null for a text or the icon', () => {
  expect(['images.logo', 'images.icon', 'title', 'images.'].map(purposeOf)).toEqual(['logo', null, null, null]);
});

it('pathOf returns the path of a text in the form of lint findings', () => {
  expect(pathOf('pt-BR')).toBe('translations["pt-BR"]');
  expect(pathOf('de', 'images.logo')).toBe('translations.de["images.logo"]');
});

it('withTranslation sets and removes a text, and keeps the language', () => {
  const german = withTranslation(body, 'de', 'title', 'Tee');
  expect(german.translations).toEqual({ de: { title: 'Tee' } });
  expect(withTranslation(german, 'de', 'title', '').translations).toEqual({ de: {} });
});

it('withTable removes the property translations together with its last language', () => {
  expect(withTable({ ...body, translations: { de: {} } }, 'de', null)).toEqual(body);
});

it('tablesOf treats values other than objects as empty', () => {
  expect([{ translations: 3 }, { translations: { de: 'x' } }].map(tablesOf)).toEqual([{}, { de: {} }]);
});

it('tagOf returns a language tag in its standard spelling, such as pt-BR, and null for any other text', () => {
  expect(['PT-br', 'zh-hant', 'Deutsch', 'de_DE', ''].map(tagOf)).toEqual(['pt-BR', 'zh-Hant', null, null, null]);
});
