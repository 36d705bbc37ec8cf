import type { Translations } from '../model.js';
import { aField, aLocation } from '../render.fixtures.js';
import { back, type Example } from './lint-subject.fixtures.js';

const front = (...fields: ReturnType<typeof aField>[]) => ({ template: { fields }, pass: { fields: [] } });
const many = (count: number) => Array.from({ length: count }, (_, index) => aField(`k${index}`, 'L', 'V'));
const ofLanguages = (translations: Translations) => ({ template: { translations } });
const long = 'A long sentence of which no phone that we know of shows more than half in one row';

/** Examples for the rules on fields: their keys, the space on the front, values and the back. */
export const fieldExamples: Record<string, Example> = {
  'duplicate-key': {
    failing: [
      [front(aField('a'), aField('a')), 'template $.fields[1].key'],
      [
        { template: { backFields: [aField('seat', 'S', 'a@b.example')] }, pass: { fields: [] } },
        'template $.backFields[0].key',
      ],
      [{ pass: { backFields: [aField('seat')], fields: [] } }, 'pass $.backFields[0].key'],
    ],
    passing: [{}, { pass: { fields: [aField('seat', 'Seat', '15')] } }],
  },
  'reserved-key': {
    failing: [
      [front(aField('_a')), 'template $.fields[0].key'],
      [{ pass: { backFields: [aField('')] } }, 'pass $.backFields[0].key'],
    ],
    passing: [front(aField('a_'))],
  },
  'too-many-front-fields': {
    failing: [
      [{ template: { fields: many(5) }, pass: { fields: [] } }, 'template $.fields'],
      [{ template: { fields: many(4) }, pass: { fields: [aField('x')] } }, 'pass $.fields'],
    ],
    passing: [{ template: { fields: many(4) }, pass: { fields: many(4) } }],
  },
  'change-message-form': {
    failing: [
      [front({ ...aField('a'), changeMessage: 'New' }), 'template $.fields[0].changeMessage'],
      [{ pass: { fields: [{ ...aField('seat'), changeMessage: '%@ %@' }] } }, 'pass $.fields[0].changeMessage'],
      [front({ ...aField('a'), changeMessage: `%@${'x'.repeat(99)}` }), 'template $.fields[0].changeMessage'],
    ],
    passing: ['', null, '%@', '100 % sure: %@'].map((changeMessage) => front({ ...aField('a'), changeMessage })),
  },
  'unknown-key': {
    failing: [
      [{ pass: { fields: [aField('saet')] } }, 'pass $.fields[0].key'],
      [{ pass: { backFields: [aField('kontakt')] } }, 'pass $.backFields[0].key'],
    ],
    passing: [{ template: { fields: [] }, pass: { fields: [aField('seat')] } }, { pass: { fields: [] } }],
  },
  'seat-of-template': {
    failing: [
      [{ type: 'event', template: { fields: [aField('seat', 'Seat', '-')] }, pass: { fields: [] } }, 'pass $.fields'],
      [
        { type: 'event', template: { fields: [], backFields: [aField('seatNo')] }, pass: { fields: [] } },
        'pass $.backFields',
      ],
    ],
    passing: [
      { type: 'event', template: { fields: [aField('seat', 'Seat', '-')] } },
      { type: 'event', template: { fields: [aField('seating', 'Seating', 'Free')] }, pass: { fields: [] } },
      { type: 'offer', template: { fields: [aField('seat', 'Seat', '-')] }, pass: { fields: [] } },
    ],
  },
  'seat-on-back': {
    failing: [
      [
        { type: 'event', template: { fields: [], backFields: [aField('seat')] }, pass: { fields: [] } },
        'template $.backFields[0]',
      ],
      [{ type: 'event', pass: { fields: [], backFields: [aField('Seat-Number')] } }, 'pass $.backFields[0]'],
    ],
    passing: [{ type: 'event' }, { type: 'offer', pass: { fields: [], backFields: [aField('seat')] } }],
  },
  'empty-value': {
    failing: [
      [front(aField('a', 'A', '')), 'template $.fields[0].value'],
      [front(aField('a', 'A', ' \n')), 'template $.fields[0].value'],
      [{ pass: { fields: [aField('seat', 'Seat', '')] } }, 'pass $.fields[0].value'],
    ],
    passing: [front(aField('a', 'A', '0'))],
  },
  'text-cut': {
    failing: [
      [front(aField('a', 'A', long)), 'template $.fields[0].value'],
      [front(aField('a', `${long} ${long}`, 'x')), 'template $.fields[0].label'],
      [front(...many(3), aField('x', 'X', long)), 'template $.fields[3].value'],
      [{ pass: { fields: [aField('seat', 'Seat', long)] } }, 'pass $.fields[0].value'],
      [{ template: { title: long } }, 'template $.title'],
      [{ type: 'generic', pass: { primaryValue: long } }, 'pass $.primaryValue'],
      [{ type: 'membership', template: { primaryLabel: long } }, 'template $.primaryLabel'],
      [{ type: 'event', template: { location: aLocation({ name: long }) } }, 'template $.location.name'],
      [
        { type: 'event', template: { location: aLocation({ name: null, address: long }) } },
        'template $.location.address',
      ],
      [ofLanguages({ de: { title: long } }), 'template $.translations.de.title'],
      [
        { pass: { translations: { de: { 'fields.seat.value': long } } } },
        'pass $.translations.de["fields.seat.value"]',
      ],
      [
        { type: 'generic', pass: { translations: { 'pt-BR': { primaryValue: long } } } },
        'pass $.translations["pt-BR"].primaryValue',
      ],
      [ofLanguages({ 'pt-BR': { 'fields.row.value': long } }), 'template $.translations["pt-BR"]["fields.row.value"]'],
    ],
    passing: [
      ofLanguages({ de: { title: 'Herbstkonzert' }, 'de-AT': {} }),
      front(aField('a', 'A', 'Just one field has the whole row for it')),
      { template: { title: '20 % off your next visit' } },
      { type: 'event', template: { location: aLocation({ name: 'Oslo Concert Hall' }) } },
    ],
  },
  'logo-text-cut': {
    failing: [
      [
        { type: 'membership', template: { title: 'Members and friends of the Philharmonic Orchestra' } },
        'template $.title',
      ],
      [
        { type: 'generic', template: { title: 'Friends of our Concert House' }, images: { logo: null } },
        'template $.title',
      ],
      [
        {
          type: 'membership',
          ...ofLanguages({ de: { title: 'Mitglieder und Freunde des Philharmonischen Orchesters' } }),
        },
        'template $.translations.de.title',
      ],
    ],
    passing: [
      { type: 'generic', template: { title: 'Friends of our Concert House' } },
      { template: { title: 'Members and friends of the Philharmonic Orchestra' } },
    ],
  },
  'line-break-on-front': {
    failing: [
      [front(aField('a', 'A', 'one\ntwo')), 'template $.fields[0].value'],
      [{ pass: { fields: [aField('seat', 'Seat', 'one\ntwo')] } }, 'pass $.fields[0].value'],
    ],
    passing: [back('one\nwww.example.com')],
  },
  'front-field-left-out': {
    failing: [
      [{ template: { fields: many(4) }, pass: { fields: [aField('seat')] } }, 'pass $.fields[0]'],
      [{ pass: { backFields: [aField('row')] } }, 'pass $.backFields[0]'],
    ],
    passing: [{ template: { fields: many(3) }, pass: { fields: [aField('seat')] } }],
  },
  'markup-in-value': {
    failing: [
      [back('<a href="https://x.example">Terms</a>'), 'template $.backFields[0].value'],
      [{ pass: { fields: [aField('seat', 'Seat', '<b>14</b>')] } }, 'pass $.fields[0].value'],
    ],
    passing: [back('a < b and c > d, a@x.example')],
  },
  'raw-date-time': {
    failing: [
      [front(aField('a', 'A', '2026-11-21T10:00:00Z')), 'template $.fields[0].value'],
      [{ pass: { backFields: [aField('x', 'X', '2026-11-21T10:00')] } }, 'pass $.backFields[0].value'],
    ],
    passing: [front(aField('a', 'A', '21 November 2026'))],
  },
  'link-on-front': {
    failing: [
      [front(aField('a', 'A', 'https://x.example')), 'template $.fields[0].value'],
      [{ pass: { fields: [aField('seat', 'Seat', 'www.x.example')] } }, 'pass $.fields[0].value'],
      [ofLanguages({ de: { 'fields.row.value': 'https://x.de' } }), 'template $.translations.de["fields.row.value"]'],
    ],
    passing: [back('https://x.example'), front(aField('a', 'A', 'See www.x.example'))],
  },
  'broken-link': {
    failing: [
      [back('https://x.example/our terms.html'), 'template $.backFields[0].value'],
      [{ pass: { backFields: [aField('x', 'X', 'https://')] } }, 'pass $.backFields[0].value'],
    ],
    passing: [back('https://x.example/our%20terms.html'), back('See https://x.example for more')],
  },
  'number-as-telephone': {
    failing: [
      [back('49151123456'), 'template $.backFields[0].value'],
      [{ pass: { backFields: [aField('x', 'X', '1234567')] } }, 'pass $.backFields[0].value'],
    ],
    passing: [back('DE 4711 0815 www.x.example'), front(aField('a', 'A', '49151123456'))],
  },
  'long-back-value': {
    failing: [
      [back(`www.x.example ${'x'.repeat(1500)}`), 'template $.backFields[0].value'],
      [{ pass: { backFields: [aField('x', 'X', 'x'.repeat(1501))] } }, 'pass $.backFields[0].value'],
    ],
    passing: [{ pass: { backFields: [aField('contact', 'X', 'x'.repeat(1500))] } }],
  },
  'crowded-back': {
    failing: [
      [{ template: { backFields: [...many(15), aField('w', 'W', 'www.x.example')] } }, 'template $.backFields'],
      [{ pass: { backFields: many(16) } }, 'pass $.backFields'],
      [{ pass: { backFields: many(10).map((field) => ({ ...field, value: 'x'.repeat(1300) })) } }, 'pass $.backFields'],
    ],
    passing: [{ pass: { backFields: many(15) } }],
  },
  'no-contact': {
    failing: [
      [{ template: { backFields: [] } }, 'template $.backFields'],
      [back('No refunds.'), 'template $.backFields'],
    ],
    passing: [back('hello@harbour.example'), back('Call +49 40 123456'), back('www.harbour.example')],
  },
};
