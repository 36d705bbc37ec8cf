import type { Translations } from '../model.js';
import { aField } from '../render.fixtures.js';
import type { Changes, Example } from './lint-subject.fixtures.js';

const ofTemplate = (translations: Translations): Changes => ({ template: { translations } });
const ofPass = (translations: Translations): Changes => ({ pass: { translations } });
const noticed = (text: string): Changes => ({
  template: {
    fields: [{ ...aField('seat', 'Seat', '12'), changeMessage: 'Now %@' }],
    translations: { de: { 'fields.seat.changeMessage': text } },
  },
});

const shop = { actions: [{ type: 'shop' as const, url: 'https://a.example' }] };
const shopIn = (url: string) => ({ ...shop, translations: { de: { 'actions.0.url': url } } });
const call = { actions: [{ type: 'call' as const, url: 'tel:+4722334455' }] };

const logos = (count: number) =>
  Object.fromEntries(
    [...'abcdefghijklmnopqrstuvwxyz'].slice(0, count).map((c) => [`d${c}`, { 'images.logo': 'https://x.de/a.png' }]),
  );
const thumbnails = { translations: { de: { 'images.thumbnail': 'https://x.de/a.png' } } };

const german = { de: { title: 'Konzert' } };

const everyText = {
  ...german.de,
  'fields.row.label': 'Reihe',
  'fields.seat.label': 'Platz',
  'backFields.contact.label': 'Kontakt',
};

/** Examples for the rules on translations. */
export const translationExamples: Record<string, Example> = {
  'translation-unknown-key': {
    failing: [
      [ofTemplate({ de: { titel: 'Konzert' } }), 'template $.translations.de.titel'],
      [ofTemplate({ 'pt-BR': { primaryLabel: 'X' } }), 'template $.translations["pt-BR"].primaryLabel'],
      [ofTemplate({ de: { 'fields.saet.label': 'Platz' } }), 'template $.translations.de["fields.saet.label"]'],
      [
        ofTemplate({ de: { 'fields.seat.changeMessage': '%@' } }),
        'template $.translations.de["fields.seat.changeMessage"]',
      ],
      [ofTemplate({ de: { constructor: 'X' } }), 'template $.translations.de.constructor'],
      [ofPass({ de: { title: 'Konzert' } }), 'pass $.translations.de.title'],
      [ofTemplate({ de: { 'images.icon': 'https://x.de/a.png' } }), 'template $.translations.de["images.icon"]'],
      [ofTemplate({ de: { 'images.artwork': 'https://x.de/a.png' } }), 'template $.translations.de["images.artwork"]'],
      [ofPass({ de: { 'images.logo': 'https://x.de/a.png' } }), 'pass $.translations.de["images.logo"]'],
      [ofTemplate({ de: { 'actions.0.url': 'https://x.de' } }), 'template $.translations.de["actions.0.url"]'],
    ],
    passing: [
      ofTemplate({}),
      ofTemplate({ de: { 'images.logo': 'https://x.de/a.png', 'images.banner': 'https://x.de/b.png' } }),
      ofTemplate({
        de: { title: 'Konzert', 'fields.seat.label': 'Platz', 'backFields.contact.value': 'https://x.de' },
      }),
      { type: 'membership', ...ofTemplate({ de: { primaryLabel: 'Mitglied' } }) },
      ofPass({ de: { 'fields.seat.label': 'Platz', 'backFields.contact.label': 'Kontakt' } }),
      { type: 'generic', ...ofPass({ de: { primaryValue: 'Ada' } }) },
    ],
  },
  'translation-form': {
    failing: [
      [ofTemplate({ de: { title: ' ' } }), 'template $.translations.de.title'],
      [ofTemplate({ de: { title: 'x'.repeat(201) } }), 'template $.translations.de.title'],
      [ofTemplate({ de: { title: 'two\nlines' } }), 'template $.translations.de.title'],
      [{ template: shopIn('http://x.de') }, 'template $.translations.de["actions.0.url"]'],
      [
        { pass: { ...call, translations: { de: { 'actions.0.url': 'https://x.de' } } } },
        'pass $.translations.de["actions.0.url"]',
      ],
      [ofTemplate({ de: { 'images.logo': ' ' } }), 'template $.translations.de["images.logo"]'],
      [noticed('Neu'), 'template $.translations.de["fields.seat.changeMessage"]'],
      [ofPass({ de: { 'fields.seat.label': 'x'.repeat(101) } }), 'pass $.translations.de["fields.seat.label"]'],
    ],
    passing: [
      ofTemplate({ de: { title: 'x'.repeat(200), 'fields.seat.value': 'two\nlines' } }),
      noticed('Neu: %@'),
      { template: shopIn('https://x.de') },
      { pass: shopIn('https://x.de') },
      { pass: { ...call, translations: { de: { 'actions.0.url': 'tel:+49301234567' } } } },
      ofPass({ de: { 'fields.seat.value': 'x'.repeat(1000) } }),
    ],
  },
  'translation-missing': {
    failing: [
      [
        ofTemplate({ de: { title: 'Konzert' }, fr: { 'fields.seat.label': 'Place', title: 'Concert' } }),
        'template $.translations.de',
      ],
      [ofPass({ de: { 'fields.seat.label': 'Platz' }, sv: {} }), 'pass $.translations.sv'],
    ],
    passing: [
      ofTemplate({ de: { title: 'Konzert' }, 'de-AT': {}, fr: { title: 'Concert' } }),
      ofPass({ de: { 'fields.seat.label': 'Platz' } }),
    ],
  },
  'text-untranslated': {
    failing: [
      [ofTemplate({ de: { title: 'Konzert' } }), 'template $.translations'],
      [ofTemplate({ de: { title: 'Konzert' }, fr: { title: 'Concert' } }), 'template $.translations'],
      [
        { template: { fields: [aField('a', '', 'Front row')], translations: { de: { title: 'Konzert' } } } },
        'template $.translations',
      ],
    ],
    passing: [
      {},
      ofTemplate({}),
      // A different rule reports the text that French lacks.
      ofTemplate({ de: everyText, fr: { title: 'Concert' } }),
      // Names, numbers and links are often the same in every language.
      {
        template: {
          title: '2026',
          issuerName: 'Harbour Hall',
          fields: [aField('a', '12', '7 A')],
          backFields: [aField('b', '', 'https://harbour.example/terms')],
          locations: [{ address: 'Pier 4, Oslo', latitude: 59.9, longitude: 10.7 }],
          translations: { de: {} },
        },
      },
    ],
  },
  'translation-language-missing': {
    failing: [
      [{ template: { translations: german }, pass: { language: 'fr' } }, 'pass $.language'],
      [
        { template: { translations: german }, pass: { language: 'en' }, context: { language: 'sv' } },
        'pass $.language',
      ],
    ],
    passing: [
      { pass: { language: 'fr' } },
      { template: { translations: german }, pass: { language: 'de-AT' } },
      { template: { translations: german }, pass: { language: 'en-US' } },
      { template: { translations: german, language: 'fr' }, pass: { language: 'fr' } },
      { template: { translations: german }, pass: { language: 'fr' }, context: { language: 'fr' } },
    ],
  },
  'too-many-localised-images': {
    failing: [[ofTemplate(logos(21)), 'template $.translations']],
    passing: [ofTemplate(logos(20)), ofTemplate(german)],
  },
  'localised-image-hidden': {
    failing: [
      [{ type: 'generic', template: thumbnails, pass: { thumbnailUrl: 'https://x.de/b.png' } }, 'pass $.thumbnail'],
    ],
    passing: [
      { type: 'generic', template: thumbnails },
      { type: 'generic', pass: { thumbnailUrl: 'https://x.de/b.png' } },
    ],
  },
};
