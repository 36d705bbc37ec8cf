import type { CodeFormat, RenderPass, RenderTemplate, RenderType } from '../model.js';
import { aField, aLocation, aPass, aTemplate } from '../render.fixtures.js';
import type { DoctorContext, ExaminedImages, ExaminedPass } from './finding.js';

/** What the doctor is given: a template and a pass of it without a fault, but for what an example changes. */
export interface Patient {
  readonly template: RenderTemplate;
  readonly pass: ExaminedPass | null;
  readonly images: ExaminedImages | null;
  readonly context: DoctorContext;
}

export const goodImages: ExaminedImages = {
  icon: { width: 114, height: 114 },
  logo: { width: 150, height: 150 },
  banner: { width: 1125, height: 432 },
};

const goodContext: DoctorContext = {
  now: new Date('2026-11-20T09:00:00.000Z'),
  webServiceUrl: 'https://passes.example.com',
  authenticationToken: 'a-token-of-more-than-16-characters',
};

interface Changes {
  readonly type?: RenderType;
  readonly template?: Partial<RenderTemplate>;
  readonly pass?: Partial<RenderPass> & { thumbnailUrl?: string };
  readonly images?: ExaminedImages;
  readonly context?: DoctorContext;
}

/** A template with a pass in which no rule finds anything, but for the changes. */
export function aPatient({ type = 'offer', template, pass, images, context }: Changes = {}): Patient {
  const event = type === 'event';
  const banner = event ? { width: 1125, height: 294 } : goodImages.banner;
  const own = type === 'generic' ? { thumbnail: { width: 270, height: 270 } } : { banner };
  const { icon, logo } = goodImages;
  return {
    template: aTemplate(type, {
      labelColor: '#ffffff',
      backFields: [aField('contact', 'Contact', 'https://harbour.example')],
      ...(event && { locations: [] }),
      ...template,
    }),
    pass: aPass(type, { fields: [aField('seat', 'Seat', '14')], backFields: [], ...pass }),
    images: { icon, logo, ...own, ...images },
    context: { ...goodContext, ...context },
  };
}

type Place = `${'template' | 'pass' | 'service'} $${string}`;

interface Example {
  /** In which the rule finds something, and where. */
  readonly failing: readonly (readonly [Changes, Place])[];
  /** Close to them, in which it finds nothing. */
  readonly passing: readonly Changes[];
}

const front = (...fields: ReturnType<typeof aField>[]) => ({ template: { fields }, pass: { fields: [] } });
const back = (value: string) => ({ template: { backFields: [aField('a', 'A', value)] } });
const many = (count: number) => Array.from({ length: count }, (_, index) => aField(`k${index}`, 'L', 'V'));
const places = (count: number) =>
  Array.from({ length: count }, (_, index) => aLocation({ latitude: index + 1, longitude: index + 1 }));
const colours = (foregroundColor: string, backgroundColor: string, labelColor: string | null = '#fff') => ({
  template: { foregroundColor, backgroundColor, labelColor },
});
const coded = (codeFormat: CodeFormat, code: string): Changes => ({ template: { codeFormat }, pass: { code } });
const banner = (width: number, height: number): Changes => ({ images: { banner: { width, height } } });
const refused = (document: 'template' | 'pass', sentence: string) => ({
  context: { refused: [{ in: document, sentence }] },
});
const long = 'A long sentence of which no phone that we know of shows more than half in one row';

/** For each rule what it finds and what it leaves alone. */
export const examples: Record<string, Example> = {
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
  'empty-value': {
    failing: [
      [front(aField('a', 'A', '')), 'template $.fields[0].value'],
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
    ],
    passing: [
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
  'text-missing': {
    failing: [
      [{ template: { title: '' } }, 'template $.title'],
      [{ template: { issuerName: '' } }, 'template $.issuerName'],
      [{ type: 'generic', template: { primaryLabel: null } }, 'template $.primaryLabel'],
    ],
    passing: [{ template: { primaryLabel: null } }],
  },
  'long-issuer-name': {
    failing: [[{ template: { issuerName: 'x'.repeat(41) } }, 'template $.issuerName']],
    passing: [{ template: { issuerName: 'x'.repeat(40) } }],
  },
  'long-title': {
    failing: [[{ template: { title: 'x'.repeat(101) } }, 'template $.title']],
    passing: [{ template: { title: 'x'.repeat(100) } }],
  },
  'primary-value-missing': {
    failing: [
      [{ type: 'generic', pass: { primaryValue: null } }, 'pass $.primaryValue'],
      [{ type: 'membership', pass: { primaryValue: '' } }, 'pass $.primaryValue'],
    ],
    passing: [{}, { type: 'generic' }],
  },
  'primary-value-unused': {
    failing: [[{ pass: { primaryValue: 'Ada' } }, 'pass $.primaryValue']],
    passing: [{ type: 'membership', pass: { primaryValue: 'Ada' } }],
  },
  'thumbnail-unused': {
    failing: [[{ pass: { thumbnailUrl: 'https://x.example/a.png' } }, 'pass $.thumbnail']],
    passing: [{ type: 'generic', pass: { thumbnailUrl: 'https://x.example/a.png' } }],
  },
  'colour-unreadable': {
    failing: [
      [colours('red', '#000'), 'template $.foregroundColor'],
      [colours('#fff', ''), 'template $.backgroundColor'],
      [colours('#fff', '#000', '#12'), 'template $.labelColor'],
    ],
    passing: [colours('#fff', 'rgb(0%, 0%, 0%)', null)],
  },
  'invisible-text': {
    failing: [
      [colours('#123', 'rgb(17, 34, 51)'), 'template $.foregroundColor'],
      [colours('#000', '#fff', '#fefefe'), 'template $.labelColor'],
      [colours('rgba(0, 0, 0, 0)', '#fff', '#000'), 'template $.foregroundColor'],
    ],
    passing: [colours('#777', '#fff', '#777')],
  },
  'low-contrast': {
    failing: [
      [colours('#aaa', '#fff', '#000'), 'template $.foregroundColor'],
      [colours('#fff', '#000', '#333'), 'template $.labelColor'],
    ],
    passing: [colours('#fff', '#fff'), colours('#777', '#fff', '#000')],
  },
  'weak-contrast': {
    failing: [[colours('#777', '#fff', '#000'), 'template $.foregroundColor']],
    passing: [colours('#767676', '#fff', '#000'), colours('#aaa', '#fff', '#000')],
  },
  'translucent-colour': {
    failing: [[colours('rgba(255, 255, 255, 0.9)', '#000'), 'template $.foregroundColor']],
    passing: [colours('rgba(255, 255, 255, 1)', '#000')],
  },
  'icon-missing': {
    failing: [[{ images: { icon: undefined } }, 'template $.icon']],
    passing: [{ images: { icon: null } }],
  },
  'image-not-found': {
    failing: [
      [{ images: { logo: 'missing' } }, 'template $.logo'],
      [{ type: 'generic', images: { passThumbnail: 'missing' } }, 'pass $.thumbnail'],
    ],
    passing: [{ images: { logo: null } }],
  },
  'image-below-2x': {
    failing: [
      [banner(749, 288), 'template $.banner'],
      [{ images: { icon: { width: 75, height: 75 } } }, 'template $.icon'],
      [{ type: 'generic', images: { passThumbnail: { width: 90, height: 90 } } }, 'pass $.thumbnail'],
    ],
    passing: [banner(750, 288), { type: 'generic', images: { banner: { width: 10, height: 4 } } }],
  },
  'image-below-3x': {
    failing: [
      [banner(1124, 432), 'template $.banner'],
      [{ type: 'generic', images: { passThumbnail: { width: 180, height: 180 } } }, 'pass $.thumbnail'],
    ],
    passing: [banner(1125, 432), banner(749, 288), { images: { logo: { width: 480, height: 150 } } }],
  },
  'image-cropped': {
    failing: [
      [banner(1200, 1200), 'template $.banner'],
      [{ type: 'generic', images: { passThumbnail: { width: 2000, height: 500 } } }, 'pass $.thumbnail'],
    ],
    passing: [banner(1125, 700), { images: { logo: { width: 1500, height: 150 } } }],
  },
  'image-trimmed': {
    failing: [
      [banner(1125, 490), 'template $.banner'],
      [{ type: 'generic', images: { passThumbnail: { width: 500, height: 300 } } }, 'pass $.thumbnail'],
    ],
    passing: [banner(1125, 470), banner(1200, 1200)],
  },
  'image-unused': {
    failing: [
      [{ type: 'generic', images: { banner: null } }, 'template $.banner'],
      [{ images: { thumbnail: null } }, 'template $.thumbnail'],
    ],
    passing: [{ type: 'generic' }],
  },
  'background-web-only': {
    failing: [[{ images: { background: null } }, 'template $.background']],
    passing: [{}],
  },
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
    ],
    passing: [{ pass: { code: 'HH-42' } }, coded('aztec', 'é'), coded('code128', 'HH~42')],
  },
  'code-too-long': {
    failing: [
      [{ pass: { code: 'x'.repeat(2332) } }, 'pass $.code'],
      [{ pass: { code: 'Ж'.repeat(1166) } }, 'pass $.code'],
      [coded('pdf417', 'é'.repeat(301)), 'pass $.code'],
      [coded('aztec', 'x'.repeat(601)), 'pass $.code'],
      [coded('code128', 'x'.repeat(41)), 'pass $.code'],
    ],
    passing: [{ pass: { code: 'é'.repeat(2331) } }, coded('pdf417', 'x'.repeat(600)), coded('code128', 'x'.repeat(40))],
  },
  'code-dense': {
    failing: [
      [{ pass: { code: 'x'.repeat(151) } }, 'pass $.code'],
      [coded('pdf417', 'x'.repeat(151)), 'pass $.code'],
      [coded('code128', 'x'.repeat(25)), 'pass $.code'],
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
  'event-past': {
    failing: [
      [{ type: 'event', template: { startDate: new Date('2026-11-20T09:00:00.000Z') } }, 'template $.startDate'],
    ],
    passing: [{ type: 'event' }],
  },
  'google-long-text': {
    failing: [
      [{ template: { title: 'x'.repeat(61) } }, 'template $.title'],
      [{ type: 'membership', template: { title: 'x'.repeat(21) } }, 'template $.title'],
      [{ type: 'membership', template: { primaryLabel: 'x'.repeat(16) } }, 'template $.primaryLabel'],
      [{ type: 'event', template: { issuerName: 'x'.repeat(21) } }, 'template $.issuerName'],
      [back('x'.repeat(501)), 'template $.backFields[0].value'],
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
      [refused('template', 'fields[0].label must be a string'), 'template $.fields[0].label'],
      [refused('pass', 'code must be a string'), 'pass $.code'],
      [refused('pass', 'and 3 more'), 'pass $'],
    ],
    passing: [{}],
  },
};
