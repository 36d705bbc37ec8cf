import fc from 'fast-check';
import type { ApplePassContext } from './apple/pass-json.js';
import { codeFormats } from './code-format.js';
import { actionTypes } from './actions.js';
import type { RenderAction, RenderField, RenderLocation, RenderPass, RenderTemplate, RenderType } from './model.js';
import type { WebPageContext } from './web/page-context.js';

export const renderTypes: readonly RenderType[] = ['offer', 'event', 'generic', 'membership'];

/** Returns a realistic template of a type; `changes` replaces properties. */
export function aTemplate(type: RenderType, changes: Partial<RenderTemplate> = {}): RenderTemplate {
  const labelled = type === 'generic' || type === 'membership';
  return {
    type,
    title: 'Autumn concert',
    issuerName: 'Harbour Hall',
    foregroundColor: '#fff',
    backgroundColor: 'rgb(10%, 20%, 40%)',
    labelColor: null,
    sharingProhibited: false,
    codeFormat: 'qr',
    locations: [aLocation({ name: 'Box office', relevantText: 'Collect your programme here' })],
    startDate: type === 'event' ? new Date('2026-11-21T10:00:00.000Z') : null,
    startDay: null,
    endDate: null,
    doorsOpen: null,
    location: type === 'event' ? aLocation({ latitude: 53.5413, longitude: 9.9841 }) : null,
    primaryLabel: labelled ? 'Member' : null,
    fields: [aField('row', 'Row', '7'), aField('seat', 'Seat', '12')],
    backFields: [aField('terms', 'Terms', 'No refunds.\nDoors close at ten.')],
    archivedAt: null,
    ...changes,
  };
}

/** Returns a pass that fits `aTemplate` of the same type. */
export function aPass(type: RenderType, changes: Partial<RenderPass> = {}): RenderPass {
  return {
    serialNumber: '4fQz8LwXk2bN0aVtYc7mRd',
    code: 'HH-2026-000042',
    validFrom: null,
    expiresAt: new Date('2026-12-31T23:00:00.000Z'),
    voidedAt: null,
    expiredAt: null,
    redeemedAt: null,
    primaryValue: type === 'generic' || type === 'membership' ? 'Ada Lovelace' : null,
    fields: [aField('seat', 'Seat', '14'), aField('gate', 'Gate', 'B')],
    backFields: [aField('help', 'Help', 'https://harbour.example/help?a=1&b=2')],
    locations: [],
    ...changes,
  };
}

export function aField(key: string, label = 'Label', value = 'Value'): RenderField {
  return { key, label, value };
}

export function aLocation(changes: Partial<RenderLocation> = {}): RenderLocation {
  return { name: 'Harbour Hall', address: 'Quay 1, Hamburg', latitude: 53.5511, longitude: 9.9937, ...changes };
}

export function anAppleContext(changes: Partial<ApplePassContext> = {}): ApplePassContext {
  return {
    passTypeIdentifier: 'pass.example.passwright',
    teamIdentifier: 'A1B2C3D4E5',
    webServiceUrl: 'https://passes.example.com',
    authenticationToken: 'a-token-of-more-than-16-characters',
    ...changes,
  };
}

export function aWebContext(changes: Partial<WebPageContext> = {}): WebPageContext {
  return {
    urls: {
      apple: 'https://passes.example.com/v1/pass/a/t/p/walletA',
      google: 'https://passes.example.com/v1/pass/a/t/p/walletB',
      web: 'https://passes.example.com/p/a/t/p',
    },
    images: {},
    now: new Date('2026-11-20T09:00:00.000Z'),
    development: false,
    reader: { language: 'en', locale: 'en-GB', device: 'desktop', inApp: false },
    version: 'W/"1"',
    ...changes,
  };
}

/** Generates realistic awkward texts as well as random texts. */
export const awkwardText = fc.oneof(
  { arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), weight: 2 },
  fc.constantFrom(
    'Crème brûlée 🍮👩‍👩‍👧',
    'שלום "עולם"',
    'مرحبا\u202e بالعالم',
    'a "quoted" \\ back\\slash',
    'two\nlines\tand a tab',
    '</style><script>alert(1)</script>',
    `'"><img src=x onerror=alert(1)>`,
    '<%= it.code %> ${code} %@ {{code}}',
    '\u2028\u2029',
  ),
);

/** Generates colours in every form that `parseColour` reads. */
export const anyColour = fc.oneof(
  fc.stringMatching(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  fc
    .tuple(fc.array(fc.tuple(fc.nat(300), fc.constantFrom('', '%')), { minLength: 3, maxLength: 3 }), fc.nat(100))
    .map(([parts, alpha]) => `rgba(${parts.map((part) => part.join('')).join(', ')}, ${alpha / 100})`),
  fc.constantFrom('#abc', 'rgb(10%,20%,30%)', 'rgba(0,0,0,.5)'),
);

const fieldKey = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd', 'constructor'), fc.uuid());

/** Generates fields whose keys often collide within a list, and between template and pass. */
export const anyFields = (maxLength: number) =>
  fc.array(fc.record({ key: fieldKey, label: fc.oneof(awkwardText, fc.constant('')), value: awkwardText }), {
    maxLength,
  });

const anyLocation = fc.record({
  name: fc.option(awkwardText, { nil: undefined }),
  address: awkwardText,
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  relevantText: fc.option(awkwardText, { nil: undefined }),
});
/** Generates actions, some with addresses that must not be opened. */
const anyActions = fc.option(
  fc.array(
    fc.record({
      type: fc.constantFrom(...actionTypes),
      url: fc.oneof(
        awkwardText,
        fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true, withFragments: true }),
        fc.constantFrom('tel:+49 (40) 123-4', 'tel://112', 'mailto:ada@example.com', 'javascript:alert(1)'),
      ),
    }) satisfies fc.Arbitrary<RenderAction>,
    { maxLength: 3 },
  ),
);
const anyDate = fc.option(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }));

/** Generates a template and a pass with awkward content, including content that the passes service would reject. */
export const anyTemplateAndPass = fc
  .record({
    type: fc.constantFrom(...renderTypes),
    texts: fc.tuple(awkwardText, awkwardText, awkwardText, awkwardText, awkwardText),
    colours: fc.tuple(anyColour, anyColour, fc.option(anyColour)),
    dates: fc.tuple(anyDate, anyDate, anyDate, anyDate, anyDate, anyDate, anyDate, anyDate),
    flag: fc.boolean(),
    codeFormat: fc.constantFrom(...codeFormats),
    venue: fc.option(anyLocation),
    locations: fc.tuple(fc.array(anyLocation, { maxLength: 10 }), fc.array(anyLocation, { maxLength: 10 })),
    fields: fc.tuple(anyFields(4), anyFields(6)),
    backFields: fc.tuple(anyFields(4), anyFields(4)),
    actions: fc.tuple(anyActions, anyActions),
  })
  .map(({ type, texts, colours, dates, flag, codeFormat, venue, locations, fields, backFields, actions }) => ({
    template: aTemplate(type, {
      title: texts[0],
      issuerName: texts[1],
      primaryLabel: type === 'generic' || type === 'membership' ? texts[2] : null,
      foregroundColor: colours[0],
      backgroundColor: colours[1],
      labelColor: colours[2],
      sharingProhibited: flag,
      codeFormat,
      startDate: type === 'event' ? dates[0] : null,
      endDate: type === 'event' ? dates[6] : null,
      doorsOpen: type === 'event' ? dates[7] : null,
      location: type === 'event' ? venue : null,
      locations: locations[0],
      fields: fields[0],
      backFields: backFields[0],
      actions: actions[0],
      archivedAt: dates[1],
    }),
    pass: aPass(type, {
      code: texts[3],
      primaryValue: type === 'generic' || type === 'membership' ? texts[4] : null,
      validFrom: dates[2],
      expiresAt: dates[3],
      voidedAt: dates[4],
      redeemedAt: dates[5],
      locations: locations[1],
      fields: fields[1],
      backFields: backFields[1],
      actions: actions[1],
    }),
  }));
