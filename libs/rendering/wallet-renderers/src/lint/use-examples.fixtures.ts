import type { CodeFormat } from '../model.js';
import { aField, aLocation } from '../render.fixtures.js';
import { back, colours, type Changes, type Example } from './lint-subject.fixtures.js';

const places = (count: number) =>
  Array.from({ length: count }, (_, index) => aLocation({ latitude: index + 1, longitude: index + 1 }));
const coded = (codeFormat: CodeFormat, code: string): Changes => ({ template: { codeFormat }, pass: { code } });
const begun = new Date('2026-11-20T08:00:00.000Z');
const [yesterday, today] = [new Date('2026-11-18T23:00:00.000Z'), new Date('2026-11-19T23:00:00.000Z')];
const allDay = { startDay: '2026-11-21', startDate: new Date('2026-11-20T23:00:00.000Z') };
const chosen = (codeFormat: CodeFormat): Changes => ({ template: { codeFormat }, pass: { code: null } });
const rejected = (document: 'template' | 'pass', sentence: string) => ({
  context: { rejected: [{ in: document, sentence }] },
});

/** Examples for the rules on locations, codes, dates, Google Wallet and the service. */
export const useExamples: Record<string, Example> = {
  'location-out-of-range': {
    failing: [
      [{ template: { locations: [aLocation({ latitude: 91 })] } }, 'template $.locations[0].latitude'],
      [{ pass: { locations: [aLocation({ longitude: -180.5 })] } }, 'pass $.locations[0].longitude'],
      [{ type: 'event', template: { location: aLocation({ latitude: NaN }) } }, 'template $.location.latitude'],
    ],
    passing: [{ template: { locations: [aLocation({ latitude: -90, longitude: 180 })] } }],
  },
  'too-many-locations': {
    failing: [
      [{ template: { locations: places(11) } }, 'template $.locations'],
      [{ template: { locations: places(5) }, pass: { locations: places(6) } }, 'pass $.locations'],
    ],
    passing: [{ template: { locations: places(5) }, pass: { locations: places(5) } }],
  },
  'location-at-zero': {
    failing: [
      [{ pass: { locations: [aLocation({ latitude: 0, longitude: 0 })] } }, 'pass $.locations[0]'],
      [{ type: 'event', template: { location: aLocation({ latitude: 0, longitude: 0 }) } }, 'template $.location'],
    ],
    passing: [{ pass: { locations: [aLocation({ latitude: 0, longitude: 9 })] } }],
  },
  'long-relevant-text': {
    failing: [
      [
        { template: { locations: [aLocation({ relevantText: 'x'.repeat(111) })] } },
        'template $.locations[0].relevantText',
      ],
      [{ pass: { locations: [aLocation({ name: 'x'.repeat(111) })] } }, 'pass $.locations[0].name'],
    ],
    passing: [{ pass: { locations: [aLocation({ relevantText: 'Here', address: 'x'.repeat(200) })] } }],
  },
  'locations-wait-for-date': {
    failing: [
      [{ type: 'event', template: { locations: places(1) } }, 'template $.locations'],
      [{ type: 'event', pass: { locations: places(1) } }, 'pass $.locations'],
    ],
    passing: [{ type: 'event' }, { template: { locations: places(1) } }],
  },
  'venue-left-out': {
    failing: [[{ type: 'event', template: { locations: places(10) } }, 'template $.location']],
    passing: [
      { type: 'event', template: { locations: places(9) } },
      { type: 'event', template: { locations: places(10), location: places(1)[0] } },
    ],
  },
  'code-unencodable': {
    failing: [
      ...['', 'a\u0000b', 'a\tb', 'a\ud800'].map((code) => [{ pass: { code } }, 'pass $.code'] as const),
      [coded('code128', 'é'), 'pass $.code'],
      [coded('code39', 'hh-42'), 'pass $.code'],
      ...['', 'A12', '12B', 'E12E', 'AB'].map((code) => [coded('codabar', code), 'pass $.code'] as const),
      ...['400638133393', '40063813339310', '400638133393X', '٤٠٠٦٣٨١٣٣٣٩٣١'].map(
        (code) => [coded('ean13', code), 'pass $.code'] as const,
      ),
      [coded('itf', '123'), 'pass $.code'],
    ],
    passing: [
      { pass: { code: 'HH-42' } },
      coded('aztec', 'é'),
      coded('code128', 'HH~42'),
      coded('code39', 'HH-42 $/+%.'),
      coded('codabar', '31117-$:/.+'),
      coded('codabar', 'A31117B'),
      coded('ean13', '4006381333931'),
      coded('itf', '1234'),
    ],
  },
  'code-check-digit': {
    failing: [
      [coded('ean13', '4006381333932'), 'pass $.code'],
      [coded('itf', '15400141288760'), 'pass $.code'],
    ],
    passing: [coded('ean13', '4006381333931'), coded('itf', '15400141288763'), coded('itf', '1234567890')],
  },
  'code-shown-as-qr': {
    failing: (['code128', 'code39', 'codabar', 'ean13', 'itf'] as const).map(
      (codeFormat) => [{ template: { codeFormat } }, 'template $.codeFormat'] as const,
    ),
    passing: (['qr', 'pdf417', 'aztec'] as const).map((codeFormat) => ({ template: { codeFormat } })),
  },
  'code-itf-length': {
    failing: [
      [coded('itf', '1234'), 'pass $.code'],
      [chosen('itf'), 'pass $.code'],
    ],
    passing: [
      ...['15400141288763', '15400141288760'].map((code) => coded('itf', code)),
      coded('ean13', '4006381333931'),
      chosen('qr'),
    ],
  },
  'code-short': {
    failing: [
      [coded('itf', '1234'), 'pass $.code'],
      [coded('codabar', 'A7B'), 'pass $.code'],
    ],
    passing: [coded('itf', '123456'), coded('codabar', 'A12B'), coded('code39', '7')],
  },
  'code-chosen-for-ean': {
    failing: [[chosen('ean13'), 'pass $.code']],
    passing: [chosen('codabar'), chosen('itf'), chosen('qr'), coded('ean13', '4006381333931')],
  },
  'code-too-long': {
    failing: [
      [{ pass: { code: 'x'.repeat(2332) } }, 'pass $.code'],
      [{ pass: { code: 'Ж'.repeat(1166) } }, 'pass $.code'],
      [coded('pdf417', 'é'.repeat(301)), 'pass $.code'],
      [coded('aztec', 'x'.repeat(601)), 'pass $.code'],
      [coded('code128', 'x'.repeat(41)), 'pass $.code'],
      [coded('code39', 'X'.repeat(29)), 'pass $.code'],
      [coded('codabar', '1'.repeat(37)), 'pass $.code'],
      [coded('itf', '1'.repeat(42)), 'pass $.code'],
    ],
    passing: [{ pass: { code: 'é'.repeat(2331) } }, coded('pdf417', 'x'.repeat(600)), coded('code128', 'x'.repeat(40))],
  },
  'code-dense': {
    failing: [
      [{ pass: { code: 'x'.repeat(151) } }, 'pass $.code'],
      [coded('pdf417', 'x'.repeat(151)), 'pass $.code'],
      [coded('code128', 'x'.repeat(25)), 'pass $.code'],
      [coded('code39', 'X'.repeat(17)), 'pass $.code'],
      [coded('codabar', '1'.repeat(23)), 'pass $.code'],
    ],
    passing: [
      { pass: { code: 'x'.repeat(150) } },
      { pass: { code: 'x'.repeat(2332) } },
      coded('code128', '7K3MQ-9XPZ0-7K3MQ-9XPZ0'),
    ],
  },
  'code-not-ascii': {
    failing: [
      [{ pass: { code: 'é' } }, 'pass $.code'],
      [{ pass: { code: '🎟' } }, 'pass $.code'],
    ],
    passing: [{ pass: { code: 'HH~42' } }, coded('code128', 'é')],
  },
  'code-edge-space': {
    failing: [[{ pass: { code: 'HH-42 ' } }, 'pass $.code']],
    passing: [{ pass: { code: 'HH 42' } }],
  },
  'expiry-before-valid-from': {
    failing: [
      [{ pass: { validFrom: new Date('2026-12-31T23:00:00.000Z') } }, 'pass $.expiry'],
      [{ pass: { validFrom: new Date('2027-01-01T00:00:00Z') } }, 'pass $.expiry'],
    ],
    passing: [{ pass: { validFrom: new Date('2026-12-31T22:59:59.999Z') } }],
  },
  expired: {
    failing: [[{ pass: { expiresAt: new Date('2026-11-20T09:00:00.000Z') } }, 'pass $.expiry']],
    passing: [{ pass: { expiresAt: null } }, {}],
  },
  'expires-before-event': {
    failing: [[{ type: 'event', pass: { expiresAt: new Date('2026-11-21T10:00:00.000Z') } }, 'pass $.expiry']],
    passing: [{ type: 'event' }],
  },
  'valid-after-event': {
    failing: [
      [{ type: 'event', pass: { validFrom: new Date('2026-11-21T10:00:00.001Z') } }, 'pass $.validFrom'],
      [
        {
          type: 'event',
          template: { endDate: new Date('2026-11-21T12:00:00Z') },
          pass: { validFrom: new Date('2026-11-21T12:00:01Z') },
        },
        'pass $.validFrom',
      ],
      [{ type: 'event', template: allDay, pass: { validFrom: new Date('2026-11-22T08:00:00Z') } }, 'pass $.validFrom'],
    ],
    passing: [
      { type: 'event', pass: { validFrom: new Date('2026-11-21T10:00:00.000Z') } },
      { type: 'event', template: allDay, pass: { validFrom: new Date('2026-11-21T08:00:00Z') } },
      { pass: { validFrom: new Date('2026-12-01T08:00:00Z') } },
    ],
  },
  'event-past': {
    failing: [
      [{ type: 'event', template: { startDate: begun } }, 'template $.startDate'],
      [
        { type: 'event', template: { startDate: begun, endDate: new Date('2026-11-20T09:00:00.000Z') } },
        'template $.endDate',
      ],
      [{ type: 'event', template: { startDay: '2026-11-19', startDate: yesterday } }, 'template $.startDate'],
    ],
    passing: [
      { type: 'event' },
      { type: 'event', template: { startDay: '2026-11-20', startDate: today } },
      { type: 'event', template: { startDate: begun, endDate: new Date('2026-11-20T22:00:00.000Z') } },
    ],
  },
  'google-long-text': {
    failing: [
      [{ template: { title: 'x'.repeat(61) } }, 'template $.title'],
      [{ type: 'membership', template: { title: 'x'.repeat(21) } }, 'template $.title'],
      [{ type: 'membership', template: { primaryLabel: 'x'.repeat(16) } }, 'template $.primaryLabel'],
      [{ type: 'event', template: { issuerName: 'x'.repeat(21) } }, 'template $.issuerName'],
      [back('x'.repeat(501)), 'template $.backFields[0].value'],
      [{ template: { translations: { de: { title: 'x'.repeat(61) } } } }, 'template $.translations.de.title'],
      [{ type: 'membership', pass: { primaryValue: 'x'.repeat(21) } }, 'pass $.primaryValue'],
      [{ pass: { backFields: [aField('a', 'x'.repeat(36))] } }, 'pass $.backFields[0].label'],
    ],
    passing: [
      { template: { title: 'x'.repeat(60), issuerName: 'x'.repeat(20) } },
      { type: 'event', template: { title: 'x'.repeat(61) } },
      { type: 'generic', template: { title: 'x'.repeat(61) }, pass: { primaryValue: 'x'.repeat(21) } },
      back('x'.repeat(500)),
    ],
  },
  'event-ends-before-start': {
    failing: [
      [{ type: 'event', template: { endDate: new Date('2026-11-21T10:00:00.000Z') } }, 'template $.endDate'],
      [{ type: 'event', template: { ...allDay, endDate: new Date('2026-11-20T22:59:59.000Z') } }, 'template $.endDate'],
    ],
    passing: [
      { type: 'event', template: { endDate: new Date('2026-11-21T10:00:00.001Z') } },
      { type: 'event', template: { ...allDay, endDate: new Date('2026-11-21T10:00:00.000Z') } },
    ],
  },
  'doors-after-start': {
    failing: [
      [{ type: 'event', template: { doorsOpen: new Date('2026-11-21T10:00:00.001Z') } }, 'template $.doorsOpen'],
      // This time is midnight in Hamburg.
      [
        { type: 'event', template: { ...allDay, doorsOpen: new Date('2026-11-21T23:00:00.000Z') } },
        'template $.doorsOpen',
      ],
      [
        {
          type: 'event',
          template: {
            ...allDay,
            doorsOpen: new Date('2026-11-21T20:00:00.000Z'),
            endDate: new Date('2026-11-21T20:00:00.000Z'),
          },
        },
        'template $.doorsOpen',
      ],
    ],
    passing: [
      { type: 'event', template: { doorsOpen: new Date('2026-11-21T10:00:00.000Z') } },
      { type: 'event', template: { ...allDay, doorsOpen: new Date('2026-11-21T22:59:59.000Z') } },
    ],
  },
  'event-zone-unknown': {
    failing: [
      [{ type: 'event', template: { location: null } }, 'template $.startDate'],
      [
        { type: 'event', template: { location: null, locations: [aLocation(), aLocation({ longitude: 30 })] } },
        'template $.startDate',
      ],
    ],
    passing: [
      { type: 'event' },
      { type: 'event', template: { location: null, locations: [aLocation()] } },
      { type: 'event', template: { ...allDay, location: null } },
    ],
  },
  'google-text-colour': {
    failing: [
      [colours('#ffcc00', '#103060'), 'template $.foregroundColor'],
      [colours('#fff', '#103060', 'rgb(255, 200, 0)'), 'template $.labelColor'],
    ],
    passing: [colours('#fff', '#103060'), colours('#000', '#ffcc00', null), colours('#eee8e8', '#000')],
  },
  'web-service-not-https': {
    failing: [[{ context: { webServiceUrl: 'http://localhost:3000' } }, 'service $.baseUrl']],
    passing: [{ context: { webServiceUrl: undefined } }],
  },
  'short-authentication-token': {
    failing: [[{ context: { authenticationToken: 'x'.repeat(15) } }, 'service $.authenticationToken']],
    passing: [{ context: { authenticationToken: 'x'.repeat(16) } }],
  },
  'refused-property': {
    failing: [
      [rejected('template', 'fields[0].label must be a string'), 'template $.fields[0].label'],
      [rejected('pass', 'code must be a string'), 'pass $.code'],
      [rejected('pass', 'and 3 more'), 'pass $'],
    ],
    passing: [{}],
  },
};
