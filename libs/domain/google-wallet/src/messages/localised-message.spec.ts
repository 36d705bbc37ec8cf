import { localisedMessage } from './localised-message.js';

const message = { id: 'msg_1', header: 'Gate', body: 'Gate C.', language: 'de', until: '2026-12-01T00:00:00.000Z' };
const french = { header: 'Porte', body: 'Porte C.' };

it('a message contains its own texts and their translations', () => {
  expect(localisedMessage({ ...message, translations: { fr: french } }, 'en')).toMatchObject({
    localizedHeader: {
      defaultValue: { language: 'de', value: 'Gate' },
      translatedValues: [{ language: 'fr', value: 'Porte' }],
    },
    localizedBody: { defaultValue: { language: 'de', value: 'Gate C.' } },
  });
  expect(localisedMessage(message, 'en')).not.toHaveProperty('localizedBody');
});

it.each([
  ['the message’s template', 'de', undefined],
  ['the installation, if the template has no language,', null, 'de'],
])('a translation into the language of %s replaces the original texts of the message', (_, language, fallback) => {
  const german = { header: 'Eingang', body: 'Eingang C.' };
  const localised = localisedMessage({ ...message, language, translations: { de: german } }, fallback);
  expect(localised.localizedHeader).toEqual({
    defaultValue: { language: 'de', value: 'Eingang' },
    translatedValues: [],
  });
  expect(localised.localizedBody).toEqual({
    defaultValue: { language: 'de', value: 'Eingang C.' },
    translatedValues: [],
  });
});
