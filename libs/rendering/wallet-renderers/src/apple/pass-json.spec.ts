import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { PKPass } from 'passkit-generator';
import { isColour } from '../colour.js';
import type { RenderAction, RenderPass, RenderTemplate } from '../model.js';
import {
  aField,
  aLocation,
  anAppleContext,
  anyTemplateAndPass,
  aPass,
  aTemplate,
  renderTypes,
} from '../render.fixtures.js';
import { applePassJson } from './pass-json.js';
import type { ApplePassContext } from './pass-json.js';

const styleOf = { offer: 'coupon', event: 'eventTicket', generic: 'generic', membership: 'storeCard' } as const;

/** Returns pass.json as text and as parsed JSON. */
function rendered(template: RenderTemplate, pass: RenderPass, context: ApplePassContext = anAppleContext()) {
  const text = JSON.stringify(applePassJson(template, pass, context));
  return { text, json: JSON.parse(text) };
}

function fieldsOf(template: RenderTemplate, pass: RenderPass) {
  return rendered(template, pass).json[styleOf[template.type]];
}

type Json = Record<string, unknown>;

/** Returns the part of our pass.json that passkit-generator's schemas accept. */
function acceptedByPasskitGenerator(text: string): Json {
  const { props } = new PKPass({ 'pass.json': Buffer.from(text) }, undefined, undefined);
  return JSON.parse(JSON.stringify(props));
}

/** Removes empty groups, which passkit-generator always includes. */
function withoutEmptyGroups(json: Json): Json {
  const style = Object.values(styleOf).find((key) => key in json)!;
  const groups = Object.entries(json[style] as Record<string, unknown[]>).filter(([, fields]) => fields.length > 0);
  return { ...json, [style]: Object.fromEntries(groups) };
}

describe.each(renderTypes)('the pass.json of type %s', (type) => {
  const everything = {
    template: aTemplate(type, { sharingProhibited: true, labelColor: 'rgba(0, 0, 0, 0.5)' }),
    pass: aPass(type, {
      validFrom: new Date('2026-11-01T00:00:00.000Z'),
      voidedAt: new Date(0),
      locations: [aLocation()],
    }),
  };

  it('pass.json matches the golden file of its type', () => {
    const path = join(__dirname, '../../test/golden', `${type}.json`);
    const text = `${JSON.stringify(applePassJson(everything.template, everything.pass, anAppleContext()), null, 2)}\n`;
    if (process.env['UPDATE_GOLDEN']) writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
  });

  it("passkit-generator's schemas drop no property of pass.json", () => {
    const { text, json } = rendered(everything.template, everything.pass);
    expect(withoutEmptyGroups(acceptedByPasskitGenerator(text))).toEqual(withoutEmptyGroups(json));
  });

  it('pass.json omits every optional property that does not apply', () => {
    const template = aTemplate(type, { locations: [], startDate: null, location: null, fields: [], backFields: [] });
    const pass = aPass(type, { expiresAt: null, fields: [], backFields: [] });
    const { json } = rendered(template, pass);
    for (const key of ['locations', 'relevantDate', 'relevantDates', 'expirationDate', 'voided', 'sharingProhibited']) {
      expect(json).not.toHaveProperty(key);
    }
    expect(fieldsOf(template, pass)).toMatchObject({ secondaryFields: [], auxiliaryFields: [], backFields: [] });
  });
});

describe('a pass.json with any content', () => {
  const any = (check: (template: RenderTemplate, pass: RenderPass) => void) => () =>
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => check(template, pass)),
      { numRuns: 200 },
    );

  it(
    'pass.json has the same bytes for the same input, with properties in any order',
    any((template, pass) => {
      const reversed = <T extends object>(value: T) => Object.fromEntries(Object.entries(value).reverse()) as T;
      expect(rendered(reversed(template), reversed(pass)).text).toBe(rendered(template, pass).text);
    }),
  );

  it(
    'pass.json contains nothing that devices reject, for any content',
    any((template, pass) => {
      const { json } = rendered(template, pass);
      const { primaryFields, secondaryFields, auxiliaryFields, backFields } = json[styleOf[template.type]];
      const front = [...primaryFields, ...secondaryFields, ...auxiliaryFields];
      const frontKeys = front.map(({ key }) => key);
      expect(new Set(frontKeys).size).toBe(frontKeys.length);
      expect(frontKeys.filter((key) => !key.startsWith('_')).length).toBeLessThanOrEqual(4);
      for (const { key, value } of [...front, ...backFields])
        expect([typeof key, typeof value]).toEqual(['string', 'string']);
      for (const { value } of front) expect(value).not.toBe('');
      for (const key of ['foregroundColor', 'backgroundColor', 'labelColor']) {
        expect(isColour(json[key])).toBe(true);
        expect(json[key]).toMatch(/^rgb\(\d{1,3}, \d{1,3}, \d{1,3}\)$/);
      }
      const dates = [json.relevantDate, json.expirationDate].filter((date) => date !== undefined);
      for (const date of dates) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect((json.locations ?? []).length).toBeLessThanOrEqual(10);
      for (const { relevantText } of json.locations ?? []) expect(relevantText).not.toBe('');
    }),
  );

  it(
    "passkit-generator's schemas drop no property of a pass.json, for any content",
    any((template, pass) => {
      const { text, json } = rendered(template, pass);
      expect(withoutEmptyGroups(acceptedByPasskitGenerator(text))).toEqual(withoutEmptyGroups(json));
    }),
  );

  it(
    'pass.json announces the new value of every front field, but does not announce changes of the back',
    any((template, pass) => {
      const { primaryFields, secondaryFields, auxiliaryFields, backFields } = fieldsOf(template, pass);
      for (const { changeMessage } of [...primaryFields, ...secondaryFields, ...auxiliaryFields]) {
        // In iOS's format, % starts a code. Every code except %% represents a value.
        const codes = (changeMessage as string).match(/%[^]?/g) ?? [];
        expect(codes.filter((code) => code !== '%%')).toEqual(['%@']);
      }
      for (const field of backFields) expect(field).not.toHaveProperty('changeMessage');
    }),
  );

  it(
    'pass.json contains texts unchanged',
    any((template, pass) => {
      const { json } = rendered(template, pass);
      expect(json).toMatchObject({ description: template.title, organizationName: template.issuerName });
      expect(json.barcodes[0]).toMatchObject({ message: pass.code, altText: pass.code });
    }),
  );
});

describe('fields', () => {
  const four = ['a', 'b', 'c', 'd'].map((key) => aField(key));

  it.each([
    ['offer', ['_title'], ['a', 'b'], ['c', 'd']],
    ['event', ['_title'], ['_date', '_place'], ['a', 'b', 'c', 'd']],
    ['generic', ['_primary'], ['a', 'b'], ['c', 'd']],
    ['membership', ['_primary'], ['a', 'b'], ['c', 'd']],
  ] as const)(
    'pass.json arranges the fields of type %s in rows %j, %j and %j',
    (type, primary, secondary, auxiliary) => {
      const groups = fieldsOf(aTemplate(type, { fields: four }), aPass(type, { fields: [] }));
      const keys = (fields: { key: string }[]) => fields.map(({ key }) => key);
      expect(keys(groups.primaryFields)).toEqual(primary);
      expect(keys(groups.secondaryFields)).toEqual(secondary);
      expect(keys(groups.auxiliaryFields)).toEqual(auxiliary);
      expect(groups).not.toHaveProperty('headerFields');
    },
  );

  it('applePassJson omits empty labels and front fields with an empty or blank value', () => {
    const groups = fieldsOf(
      aTemplate('offer', { fields: [aField('a', 'A', ''), aField('c', 'C', ' \n'), aField('b', '', 'B')] }),
      aPass('offer', { fields: [] }),
    );
    expect(groups.secondaryFields).toEqual([{ key: 'b', value: 'B', changeMessage: '%@' }]);
  });

  it("applePassJson lets devices format dates, and gives an event's dates the time zone of its venue", () => {
    const pass = aPass('event', { validFrom: new Date('2026-11-01T00:00:00.000Z') });
    const { secondaryFields, backFields } = fieldsOf(aTemplate('event'), pass);
    const styles = { dateStyle: 'PKDateStyleMedium', timeStyle: 'PKDateStyleShort' };
    expect(secondaryFields[0]).toEqual({
      key: '_date',
      label: 'Date',
      value: '2026-11-21T11:00:00+01:00',
      changeMessage: 'Date: %@',
      ignoresTimeZone: true,
      ...styles,
    });
    expect(backFields[0]).toEqual({
      key: '_validFrom',
      label: 'Valid from',
      value: '2026-11-01T01:00:00+01:00',
      ignoresTimeZone: true,
      ...styles,
    });
  });

  it("applePassJson uses the holder's time zone unless the place of an event is known", () => {
    const validFrom = new Date('2026-11-01T00:00:00.000Z');
    const nowhere = fieldsOf(aTemplate('event', { location: null, locations: [] }), aPass('event', { validFrom }));
    expect(nowhere.secondaryFields[0]).toMatchObject({ value: '2026-11-21T10:00:00.000Z' });
    const offer = fieldsOf(aTemplate('offer'), aPass('offer', { validFrom }));
    for (const { backFields, secondaryFields } of [nowhere, offer]) {
      expect(JSON.stringify([backFields, secondaryFields])).not.toContain('ignoresTimeZone');
      expect(backFields[0]).toMatchObject({ key: '_validFrom', value: validFrom.toISOString() });
    }
  });

  it('applePassJson shows an event without a venue in the time zone that all its locations share', () => {
    const locations = [aLocation(), aLocation({ latitude: 48.1 })];
    const { secondaryFields } = fieldsOf(aTemplate('event', { location: null, locations }), aPass('event'));
    expect(secondaryFields[0]).toMatchObject({ value: '2026-11-21T11:00:00+01:00', ignoresTimeZone: true });
  });

  it('applePassJson shows only the day of an event whose start has no time', () => {
    const { secondaryFields, backFields } = fieldsOf(
      aTemplate('event', {
        startDay: '2026-11-21',
        startDate: new Date('2026-11-20T23:00:00.000Z'),
        doorsOpen: new Date('2026-11-21T09:00:00.000Z'),
        endDate: new Date('2026-11-22T20:00:00.000Z'),
        backFields: [],
      }),
      aPass('event', { backFields: [] }),
    );
    expect(secondaryFields[0]).toMatchObject({
      value: '2026-11-21T00:00:00+01:00',
      timeStyle: 'PKDateStyleNone',
      ignoresTimeZone: true,
    });
    expect(backFields).toMatchObject([
      { key: '_doorsOpen', label: 'Doors open', value: '2026-11-21T10:00:00+01:00' },
      { key: '_end', label: 'Ends', value: '2026-11-22T21:00:00+01:00' },
    ]);
  });
});

describe('change messages', () => {
  const messageOf = (changes: { label?: string; changeMessage?: string | null }) =>
    fieldsOf(aTemplate('offer', { fields: [{ ...aField('a'), ...changes }] }), aPass('offer', { fields: [] }))
      .secondaryFields[0].changeMessage;

  it.each([
    [{ label: 'Seat' }, 'Seat: %@'],
    [{ label: '100 % off' }, '100 %% off: %@'],
    [{ label: '' }, '%@'],
    [{ changeMessage: 'Now 20 % off: %@!' }, 'Now 20 %% off: %@!'],
    [{ changeMessage: '100%%@' }, '100%%%@'],
    [{ changeMessage: '' }, undefined],
    [{ changeMessage: null }, undefined],
  ])('applePassJson turns a field with %j into the change message %j', (changes, message) => {
    expect(messageOf(changes)).toBe(message);
  });

  it('applePassJson announces changes of the fields that the service adds itself', () => {
    const messages = (type: 'offer' | 'event' | 'membership') => {
      const { primaryFields, secondaryFields } = fieldsOf(aTemplate(type, { fields: [] }), aPass(type, { fields: [] }));
      return [...primaryFields, ...secondaryFields].map(({ changeMessage }) => changeMessage);
    };
    expect(messages('offer')).toEqual(['%@']);
    expect(messages('event')).toEqual(['%@', 'Date: %@', 'Place: %@']);
    expect(messages('membership')).toEqual(['Member: %@']);
  });
});

describe('locations', () => {
  const at = (latitude: number) => aLocation({ latitude, longitude: 0, name: String(latitude) });
  const texts = (template: RenderTemplate, pass: RenderPass) =>
    rendered(template, pass).json.locations.map(({ relevantText }: { relevantText: string }) => relevantText);

  it("applePassJson puts the venue first, then the template's locations, then the pass's locations", () => {
    const template = aTemplate('event', { location: at(1), locations: [at(2)] });
    expect(texts(template, aPass('event', { locations: [at(3)] }))).toEqual(['1', '2', '3']);
  });

  it('applePassJson includes the venue once, and omits it if 10 other locations are listed', () => {
    const ten = Array.from({ length: 10 }, (_, index) => at(index + 10));
    expect(texts(aTemplate('event', { location: at(2), locations: [at(3), at(2)] }), aPass('event'))).toEqual([
      '3',
      '2',
    ]);
    expect(texts(aTemplate('event', { location: at(1), locations: ten }), aPass('event'))).toHaveLength(10);
    expect(texts(aTemplate('event', { location: at(1), locations: ten }), aPass('event'))).not.toContain('1');
  });

  it.each([
    [{ relevantText: 'Here', name: 'Hall' }, 'Here'],
    [{ relevantText: undefined, name: 'Hall' }, 'Hall'],
    [{ relevantText: '', name: '' }, 'Quay 1, Hamburg'],
  ])('a location with %j has the lock screen text %j', (changes, text) => {
    expect(texts(aTemplate('offer', { locations: [aLocation(changes)] }), aPass('offer'))).toEqual([text]);
  });
});

it('pass.json names a place without a name by its address in one line, because phones cut off further lines', () => {
  const location = aLocation({ name: undefined, address: 'Quay 1\n20457 Hamburg' });
  const template = aTemplate('event', { location, locations: [] });
  const { eventTicket, semantics, locations } = rendered(template, aPass('event')).json;
  const place = eventTicket.secondaryFields.find(({ key }: { key: string }) => key === '_place');
  const texts = [place.value, semantics.venueName, locations[0].relevantText];
  expect(texts).toEqual(Array(3).fill('Quay 1, 20457 Hamburg'));
});

describe('the relevance of an event', () => {
  const start = '2026-11-21T10:00:00.000Z';
  const interval = (from: string, until: string) => ({ startDate: from, endDate: until });
  const of = (changes: Partial<RenderTemplate>) => rendered(aTemplate('event', changes), aPass('event')).json;

  it.each<[string, Partial<RenderTemplate>, object[]]>([
    ['around its start', {}, [{ date: start, relevantDate: start }]],
    [
      'around its start, if its end is unknown',
      { doorsOpen: new Date('2026-11-21T09:00:00.000Z') },
      [{ date: start, relevantDate: start }],
    ],
    ['until its end', { endDate: new Date('2026-11-21T12:00:00.000Z') }, [interval(start, '2026-11-21T12:00:00.000Z')]],
    [
      'from its doors until its end',
      { doorsOpen: new Date('2026-11-21T09:00:00.000Z'), endDate: new Date('2026-11-22T12:00:00.000Z') },
      [
        interval('2026-11-21T09:00:00.000Z', '2026-11-22T09:00:00.000Z'),
        interval('2026-11-22T09:00:00.000Z', '2026-11-22T12:00:00.000Z'),
      ],
    ],
    [
      'for the whole day, if it starts without a time',
      { startDay: '2026-11-21', startDate: new Date('2026-11-20T23:00:00.000Z') },
      [interval('2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z')],
    ],
    [
      'for all 25 hours of a day on which summer time ends',
      { startDay: '2026-10-25', startDate: new Date('2026-10-24T22:00:00.000Z') },
      [
        interval('2026-10-24T22:00:00.000Z', '2026-10-25T22:00:00.000Z'),
        interval('2026-10-25T22:00:00.000Z', '2026-10-25T23:00:00.000Z'),
      ],
    ],
    [
      'for the 23 hours of a day on which summer time begins',
      { startDay: '2026-03-29', startDate: new Date('2026-03-28T23:00:00.000Z') },
      [interval('2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z')],
    ],
    [
      'from its doors until the end of its day, if it starts without a time',
      {
        startDay: '2026-11-21',
        startDate: new Date('2026-11-20T23:00:00.000Z'),
        doorsOpen: new Date('2026-11-21T09:00:00.000Z'),
      },
      [interval('2026-11-21T09:00:00.000Z', '2026-11-21T23:00:00.000Z')],
    ],
  ])('an event is relevant %s', (_, changes, dates) => {
    const json = of(changes);
    expect(json.relevantDates).toEqual(dates);
    expect(json.relevantDate).toBe((changes.startDate ?? new Date(start)).toISOString());
    expect(json.semantics.eventEndDate).toBe(changes.endDate?.toISOString());
    expect(json.semantics.venueDoorsOpenDate).toBe(changes.doorsOpen?.toISOString());
  });

  it('the semantics of an event say that its start has no time of day, and name the time zone', () => {
    const day = { startDay: '2026-11-21', startDate: new Date('2026-11-20T23:00:00.000Z') };
    const whole = { date: '2026-11-20T23:00:00.000Z', ignoreTimeComponents: true };
    expect(of(day).semantics.eventStartDateInfo).toEqual({ ...whole, timeZone: 'Europe/Berlin' });
    expect(of({ ...day, location: null, locations: [] }).semantics.eventStartDateInfo).toEqual(whole);
    expect(of({}).semantics).not.toHaveProperty('eventStartDateInfo');
  });

  it('an event that lasts for weeks is relevant for ten days', () => {
    expect(of({ endDate: new Date('2026-12-21T10:00:00.000Z') }).relevantDates).toHaveLength(10);
  });
});

describe('the actions', () => {
  const shop: RenderAction = { type: 'shop', url: 'https://harbour.example/shop?a=1' };
  const call: RenderAction = { type: 'call', url: 'tel:+49 (40) 123-4' };
  const of = (ofTemplate: RenderAction[] | null, ofPass: RenderAction[] | null) =>
    rendered(aTemplate('offer', { actions: ofTemplate }), aPass('offer', { actions: ofPass })).json.featuredActions;

  it("applePassJson lists a template's actions with unique identifiers, and writes phone numbers in digits only", () => {
    expect(of([shop, call], null)).toEqual([
      { identifier: 'shop-1', type: 'shop', url: 'https://harbour.example/shop?a=1' },
      { identifier: 'call-2', type: 'call', url: 'tel://+49401234' },
    ]);
    expect(of([shop, shop], null).map(({ identifier }: { identifier: string }) => identifier)).toEqual([
      'shop-1',
      'shop-2',
    ]);
  });

  it('applePassJson contains the identifier of a place instead of its address', () => {
    const url = 'https://maps.apple.com/place?name=Harbour+Hall&place-id=I63802885C8189B2B';
    expect(of([{ type: 'place', url }], null)).toEqual([
      { identifier: 'place-1', type: 'place', placeIdentifier: 'I63802885C8189B2B' },
    ]);
    expect(of([{ type: 'place', url: 'https://harbour.example/' }], null)).toBeUndefined();
  });

  it("applePassJson lists a pass's own actions instead of the template's, even if the pass's list is empty", () => {
    expect(of([shop], [call]).map(({ type }: RenderAction) => type)).toEqual(['call']);
    expect(of([shop], [])).toBeUndefined();
    expect(of(null, [shop])).toHaveLength(1);
    expect(of(null, null)).toBeUndefined();
  });

  it('applePassJson leaves out actions with a forbidden address, and all actions after the second', () => {
    const url = 'javascript:alert(1)';
    expect(
      of(
        [
          { type: 'call', url: 'tel:' },
          { type: 'shop', url },
          { type: 'order', url: 'http://a.example/' },
        ],
        null,
      ),
    ).toBe(undefined);
    expect(of([{ type: 'shop', url }, shop, call, { ...shop, type: 'order' }], null)).toHaveLength(2);
  });
});

describe('the group', () => {
  it('pass.json contains the grouping identifier of an event, but not of passes of other types', () => {
    const context = anAppleContext({ groupingIdentifier: 'AbC-123' });
    const groups = renderTypes.map((type) => rendered(aTemplate(type), aPass(type), context).json.groupingIdentifier);
    expect(groups).toEqual(renderTypes.map((type) => (type === 'event' ? 'AbC-123' : undefined)));
  });
});

describe('the barcode', () => {
  it.each([
    ['HH-42', 'iso-8859-1'],
    ['Crème ÿ', 'iso-8859-1'],
    ['\u0100', 'utf-8'],
    ['Билет', 'utf-8'],
    ['🎟', 'utf-8'],
  ])('the barcode %j is sent in the encoding %s', (code, messageEncoding) => {
    const { barcodes } = rendered(aTemplate('offer'), aPass('offer', { code })).json;
    expect(barcodes).toEqual([{ format: 'PKBarcodeFormatQR', message: code, messageEncoding, altText: code }]);
  });

  it.each([
    ['pdf417', 'Ж-42', ['PKBarcodeFormatPDF417']],
    ['aztec', 'Ж-42', ['PKBarcodeFormatAztec']],
    // Watches cannot draw Code 128.
    ['code128', 'HH-42', ['PKBarcodeFormatCode128', 'PKBarcodeFormatQR']],
    ['code128', 'é', ['PKBarcodeFormatQR']],
    // Systems before iOS 27 do not know the following formats.
    ['code39', 'HH-42', ['PKBarcodeFormatCode39', 'PKBarcodeFormatQR']],
    ['codabar', 'A31117B', ['PKBarcodeFormatCodabar', 'PKBarcodeFormatQR']],
    ['ean13', '4006381333931', ['PKBarcodeFormatEAN13', 'PKBarcodeFormatQR']],
    ['ean13', '4006381333932', ['PKBarcodeFormatQR']],
    ['itf', '123456', ['PKBarcodeFormatI2of5', 'PKBarcodeFormatQR']],
    ['itf', '12345', ['PKBarcodeFormatQR']],
    ['code128', 'x'.repeat(41), ['PKBarcodeFormatQR']],
    ['pdf417', '🎟'.repeat(151), ['PKBarcodeFormatQR']],
  ] as const)(
    'a %s barcode with the text %j is sent in the formats %j, in order of preference',
    (codeFormat, code, formats) => {
      const { barcodes } = applePassJson(
        aTemplate('offer', { codeFormat }),
        aPass('offer', { code }),
        anAppleContext(),
      );
      expect(barcodes.map(({ format }) => format)).toEqual(formats);
      const messageEncoding = /[\u0100-\uffff]/.test(code) ? 'utf-8' : 'iso-8859-1';
      for (const barcode of barcodes) expect(barcode).toMatchObject({ message: code, messageEncoding, altText: code });
    },
  );
});

describe('a pass', () => {
  const date = new Date(0);

  it.each([
    ['voided', {}, { voidedAt: date }],
    ['redeemed', {}, { redeemedAt: date }],
    ['expired', {}, { expiredAt: date }],
    ['of an archived template', { archivedAt: date }, {}],
  ])('a pass that is %s is marked as voided', (_, template, pass) => {
    expect(rendered(aTemplate('offer', template), aPass('offer', pass)).json.voided).toBe(true);
  });

  it('pass.json contains no metadata and no properties that Apple does not define', () => {
    const withMore = { ...aPass('offer'), metadata: { secret: 'internal' }, accountId: 'acc_1' };
    expect(rendered(aTemplate('offer'), withMore).text).toBe(rendered(aTemplate('offer'), aPass('offer')).text);
  });

  it('applePassJson rejects an authentication token that is too short for devices', () => {
    const context = anAppleContext({ authenticationToken: 'a'.repeat(15) });
    expect(() => applePassJson(aTemplate('offer'), aPass('offer'), context)).toThrow(RangeError);
  });
});
