import { localisedMessage } from './localised-message.js';

const message = { id: 'msg_1', header: 'Gate', body: 'Gate C.', language: 'de', until: '2026-12-01T00:00:00.000Z' };
const french = { header: 'Porte', body: 'Porte C.' };

it('a message has its own texts, and those of other languages', () => {
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
  ['its template', 'de', undefined],
  ['the installation', null, 'de'],
])(
  'a translation into the language of the message, here that of %s, replaces the texts of the message',
  (_, language, fallback) => {
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
  },
);
