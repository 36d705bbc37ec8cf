import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { googleProblems } from '@passwright/google-wallet-schema';
import { mergedFields } from '../merged-fields.js';
import type { RenderPass, RenderTemplate } from '../model.js';
import { aField, aLocation, anyTemplateAndPass, aPass, aTemplate, renderTypes } from '../render.fixtures.js';
import { googleClass } from './google-class.js';
import { googleDeletedObject, googleObject } from './google-object.js';
import type { GoogleContext, GooglePart } from './google-part.js';

const issuer = '3388000000012345678';
const classId = `${issuer}.offer_0123456789abcdef`;
const ids = { objectId: `${issuer}.4fQz8LwXk2bN0aVtYc7mRd`, classId };
const images = {
  logo: 'https://passes.example.com/images/a.png',
  wideLogo: 'https://passes.example.com/images/b.png',
  hero: 'https://passes.example.com/images/c.png',
};
const now = new Date('2026-11-20T09:00:00.000Z');
const context = { language: 'en-GB', images, callbackUrl: 'https://passes.example.com/v1/walletB/callbacks', now };

type Body = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

const classOf = (template: RenderTemplate, changes: Partial<GoogleContext> = {}): Body =>
  googleClass(template, classId, { ...context, ...changes }).body;
const objectOf = (template: RenderTemplate, pass: RenderPass): Body => googleObject(template, pass, ids, context).body;
const problems = ({ vertical, part, body }: GooglePart) => googleProblems(vertical, part, body);
const sent = (body: Body): Body => JSON.parse(JSON.stringify(body));
const textModules = (body: Body) =>
  Object.fromEntries((body.textModulesData ?? []).map(({ id, ...rest }: Body) => [id, rest]));

describe.each(renderTypes)('the class and the object of type %s', (type) => {
  const template = aTemplate(type, { sharingProhibited: true });
  const pass = aPass(type, { validFrom: new Date('2026-11-01T00:00:00.000Z'), locations: [aLocation()] });

  it.each([
    ['class', googleClass(template, classId, context)],
    ['object', googleObject(template, pass, ids, context)],
    ['deleted', googleDeletedObject({ type, issuerName: 'Harbour Hall' }, ids, context)],
  ] as const)('the class and the object match the golden file: %s', (name, part) => {
    const path = join(__dirname, '../../test/golden', `google-${type}-${name}.json`);
    const text = `${JSON.stringify(part, null, 2)}\n`;
    if (process.env['UPDATE_GOLDEN']) writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
    expect(problems(part)).toEqual([]);
  });
});

describe('any class and object', () => {
  const anyParts = anyTemplateAndPass.map(({ template, pass }) => ({
    parts: () => [
      googleClass(template, classId, context),
      googleObject(template, pass, ids, context),
      googleDeletedObject(template, ids, context),
    ],
    template,
    pass,
  }));

  it("every class and object conforms to Google's schema", () => {
    fc.assert(fc.property(anyParts, ({ parts }) => expect(parts().flatMap(problems)).toEqual([])));
  });

  it('every property of a class or object is in the list of properties that an update can clear', () => {
    fc.assert(
      fc.property(anyParts, ({ parts }) => {
        for (const { body, owned } of parts()) expect(owned).toEqual(expect.arrayContaining(Object.keys(body)));
      }),
    );
  });

  it('rendering the same template and pass twice gives the same bytes', () => {
    fc.assert(
      fc.property(anyParts, ({ parts }) => {
        expect(JSON.stringify(parts())).toBe(JSON.stringify(structuredClone(parts())));
      }),
    );
  });

  it("an object shows every value of a pass's fields in full", () => {
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => {
        const { fields, backFields } = mergedFields(template, pass);
        const texts = Object.values<Body>(textModules(objectOf(template, pass)));
        for (const { value } of [...fields, ...backFields].filter(({ value }) => value.trim() !== ''))
          expect(texts.some(({ body }) => body.includes(value))).toBe(true);
      }),
    );
  });

  it('a class and an object contain no property of the template or pass that holders must not see', () => {
    const secrets = {
      metadata: { email: 'ada@example.com' },
      authenticationToken: 'a-secret-token',
      serialNumber: 'serial-number',
      member: { email: 'ada@example.com' },
      id: 'private-id',
    };
    for (const type of renderTypes) {
      const [template, pass] = [
        { ...aTemplate(type), ...secrets },
        { ...aPass(type), ...secrets },
      ];
      const text = JSON.stringify([classOf(template), objectOf(template, pass)]);
      expect(text).not.toMatch(/ada@|secret|serial-number|private/);
    }
  });

  it('a class and an object contain no images and no callback if the context has no addresses', () => {
    for (const type of renderTypes) {
      const bare = { language: 'en', images: {}, callbackUrl: null, now };
      const parts = [
        googleClass(aTemplate(type), classId, bare),
        googleObject(aTemplate(type), aPass(type), ids, bare),
      ];
      expect(JSON.stringify(parts.map(({ body }) => body))).not.toMatch(/sourceUri|callbackOptions/);
      // Google requires a logo for a loyalty programme.
      expect(parts.flatMap(problems)).toEqual(
        type === 'membership' ? ['$.programLogo is missing; Google requires it.'] : [],
      );
    }
  });
});

it.each([
  ['qr', 'Ж-42', 'QR_CODE'],
  ['pdf417', 'Ж-42', 'PDF_417'],
  ['aztec', 'Ж-42', 'AZTEC'],
  ['code128', 'HH-42', 'CODE_128'],
  ['code128', 'Ж-42', 'QR_CODE'],
  ['code39', 'HH-42', 'CODE_39'],
  ['codabar', '31117', 'CODABAR'],
  ['ean13', '4006381333931', 'EAN_13'],
  ['ean13', '4006381333932', 'QR_CODE'],
  ['itf', '15400141288763', 'ITF_14'],
  // Google supports ITF only with 14 digits.
  ['itf', '123456', 'QR_CODE'],
] as const)('a template in the format %s shows the code %j as a barcode of type %s', (codeFormat, code, type) => {
  const object = googleObject(aTemplate('offer', { codeFormat }), aPass('offer', { code }), ids, context);
  expect(object.body).toMatchObject({ barcode: { type, value: code, alternateText: code } });
  expect(problems(object)).toEqual([]);
});

describe('a class', () => {
  it.each([
    [
      0,
      [
        ['f0', 'f1'],
        ['f2', 'f3'],
      ],
    ],
    [1, [['f0'], ['f1', 'f2', 'f3']]],
    [
      2,
      [
        ['f0', 'f1'],
        ['f2', 'f3'],
      ],
    ],
    [3, [['f0', 'f1', 'f2'], ['f3']]],
    [
      4,
      [
        ['f0', 'f1'],
        ['f2', 'f3'],
      ],
    ],
  ])('a class with %i template fields has slots for them and for fields that a pass adds', (count, expected) => {
    const fields = Array.from({ length: count }, (_, index) => aField(`key.${index}`));
    const rows = classOf(aTemplate('offer', { fields })).classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos;
    const paths = rows.map((row: Body) => JSON.stringify(row).match(/(?<=object\.textModulesData\[')f\d/g));
    expect(paths).toEqual(expected);
  });

  it("a class shows an event's date and a membership's name above the fields", () => {
    const firstPath = (template: RenderTemplate) =>
      classOf(template).classTemplateInfo.cardTemplateOverride.cardRowTemplateInfos[0].oneItem?.item.firstValue
        .fields[0];
    expect(firstPath(aTemplate('event'))).toEqual({ fieldPath: 'class.dateTime.start', dateFormat: 'DATE_TIME_YEAR' });
    expect(firstPath(aTemplate('membership'))).toEqual({ fieldPath: 'object.accountName' });
    expect(firstPath(aTemplate('event', { startDate: null }))).toBeUndefined();
  });

  it('a class shows the times of an event in local time, and an update clears times that the template no longer has', () => {
    const doorsOpen = new Date('2026-11-21T09:00:00.000Z');
    const endDate = new Date('2026-11-21T23:30:00.000Z');
    const whole = googleClass(aTemplate('event', { doorsOpen, endDate }), classId, context);
    expect(whole.body.dateTime).toEqual({
      start: '2026-11-21T11:00:00+01:00',
      doorsOpen: '2026-11-21T10:00:00+01:00',
      end: '2026-11-22T00:30:00+01:00',
    });
    expect(problems(whole)).toEqual([]);
    for (const times of [{}, { doorsOpen }, { endDate }, { doorsOpen, endDate }]) {
      const part = googleClass(aTemplate('event', times), classId, context);
      expect(part).toMatchObject({ ownedParts: { dateTime: ['doorsOpen', 'end'] }, replace: false });
    }
    expect(googleClass(aTemplate('offer'), classId, context)).not.toHaveProperty('ownedParts');
    const shared = aTemplate('event', { location: null, locations: [aLocation(), aLocation({ latitude: 48.1 })] });
    expect(classOf(shared).dateTime).toEqual({ start: '2026-11-21T11:00:00+01:00' });
  });

  it("a class shows only the day if an event's start has no time", () => {
    const template = aTemplate('event', {
      startDay: '2026-11-21',
      startDate: new Date('2026-11-20T23:00:00.000Z'),
      endDate: new Date('2026-11-22T20:00:00.000Z'),
      backFields: Array.from({ length: 12 }, (_, index) => aField(`k${index}`)),
    });
    const { dateTime, classTemplateInfo } = classOf(template);
    expect(dateTime.start).toBe('2026-11-21T00:00:00+01:00');
    expect(JSON.stringify(classTemplateInfo.cardTemplateOverride)).toContain(
      '{"fieldPath":"class.dateTime.start","dateFormat":"DATE_YEAR"}',
    );
    const details = JSON.stringify(classTemplateInfo.detailsTemplateOverride);
    expect(details).toContain('{"fieldPath":"class.dateTime.start","dateFormat":"DATE_YEAR"}');
    expect(details).toContain('"class.dateTime.end"');
    expect(details).not.toContain('doorsOpen');
  });

  it.each([
    [{ name: 'Hall', address: 'Quay 1' }, 'Hall', 'Quay 1'],
    [{ name: undefined, address: 'Quay 1' }, 'Quay 1', 'Quay 1'],
    [{ name: undefined, address: 'Quay 1\nHamburg' }, 'Quay 1, Hamburg', 'Quay 1\nHamburg'],
    [{ name: 'Hall', address: ' ' }, 'Hall', 'Hall'],
  ])('a class for an event at %j has a venue with the name %j and the address %j', (place, name, address) => {
    const { venue } = classOf(aTemplate('event', { location: aLocation(place) }));
    expect([venue.name.defaultValue.value, venue.address.defaultValue.value]).toEqual([name, address]);
  });

  it('a class states how many users may hold a pass', () => {
    const status = (sharingProhibited: boolean) =>
      classOf(aTemplate('generic', { sharingProhibited })).multipleDevicesAndHoldersAllowedStatus;
    expect([status(true), status(false)]).toEqual(['ONE_USER_ALL_DEVICES', 'MULTIPLE_HOLDERS']);
  });

  it('a class has its colour as #rrggbb without transparency', () => {
    expect(classOf(aTemplate('offer', { backgroundColor: 'rgba(0%, 0%, 0%, .5)' })).hexBackgroundColor).toBe('#808080');
  });
});

describe("an object's state", () => {
  const [past, future] = [new Date('2026-01-01'), new Date('2027-01-01')];
  it.each<[string, Partial<RenderPass>]>([
    ['ACTIVE', {}],
    ['ACTIVE', { validFrom: future }],
    ['EXPIRED', { expiresAt: past }],
    ['COMPLETED', { redeemedAt: past, expiresAt: past }],
    ['INACTIVE', { voidedAt: past, redeemedAt: past }],
  ])('the state of an object is %s for %j', (state, changes) => {
    expect(objectOf(aTemplate('offer'), aPass('offer', changes)).state).toBe(state);
  });

  it('the state of an object is INACTIVE when the template is archived', () => {
    expect(objectOf(aTemplate('offer', { archivedAt: past }), aPass('offer')).state).toBe('INACTIVE');
  });
});

describe("an object's validity", () => {
  const at = new Date('2026-11-01T00:00:00.000Z');
  it.each([
    [null, null, false],
    [at, null, true],
    [null, at, true],
    [at, at, false],
  ])('an object has a validity from %j to %j', (validFrom, expiresAt, replace) => {
    const part = googleObject(aTemplate('offer'), aPass('offer', { validFrom, expiresAt }), ids, context);
    const date = '2026-11-01T00:00:00.000Z';
    expect(part.replace).toBe(replace);
    expect((sent(part.body).validTimeInterval as unknown) ?? null).toEqual(
      validFrom || expiresAt ? { ...(validFrom && { start: { date } }), ...(expiresAt && { end: { date } }) } : null,
    );
  });
});

describe("an object's fields", () => {
  const template = aTemplate('offer', { fields: [aField('a.b', 'A', '1'), aField('c', '', '2')], backFields: [] });
  const back = (count: number, value = 'v') =>
    Array.from({ length: count }, (_, index) => aField(`k${index}`, `L${index}`, `${value}${index}`));

  it('an object keeps the positions of its fields when one field is empty', () => {
    const pass = aPass('offer', { fields: [aField('a.b', 'A', ' '), aField('d', 'D', '3')], backFields: [] });
    expect(textModules(objectOf(template, pass))).toEqual({ f1: { body: '2' }, f2: { header: 'D', body: '3' } });
  });

  it.each([
    ['https://a.example/x y', null],
    ['see https://a.example/', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['http://', null],
    ['HTTPS://A.example/?q="1"', 'https://a.example/?q=%221%22'],
    ['tel:+49 (40) 123-4', 'tel:+49(40)123-4'],
    ['mailto:help@a.example', 'mailto:help@a.example'],
  ])('an object turns the field value %j into the link %j', (value, uri) => {
    const body = objectOf(template, aPass('offer', { fields: [], backFields: [aField('k', 'Label', value)] }));
    expect(body.linksModuleData ?? null).toEqual(uri && { uris: [{ id: 'l0', uri, description: 'Label' }] });
    expect('b0' in textModules(body)).toBe(uri === null);
  });

  it('an object shows all back fields of a pass, even if the class has fewer slots', () => {
    const pass = aPass('offer', { fields: [], backFields: back(9) });
    expect(classOf(template).classTemplateInfo.detailsTemplateOverride).toBeUndefined();
    const found = textModules(objectOf(template, pass));
    expect(Object.keys(found)).toEqual(['f0', 'f1', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5']);
    expect(found['b5']).toEqual({ header: 'L5', body: 'v5\n\nL6\nv6\n\nL7\nv7\n\nL8\nv8' });
  });

  it.each(['text', 'https://a.example/'])(
    'a class with many back fields whose values begin with %j lists all of them',
    (value) => {
      const large = aTemplate('generic', { backFields: back(7, value) });
      const body = objectOf(large, aPass('generic', { backFields: back(40, value) }));
      const listed = JSON.stringify(classOf(large).classTemplateInfo.detailsTemplateOverride);
      for (const id of Object.keys(textModules(body))) expect(listed).toContain(`object.textModulesData['${id}']`);
      for (const { id } of body.linksModuleData?.uris ?? []) expect(listed).toContain(`linksModuleData.uris['${id}']`);
      for (let index = 0; index < 40; index++) expect(JSON.stringify(body)).toContain(`${value}${index}`);
      expect(problems(googleClass(large, classId, context))).toEqual([]);
    },
  );
});

describe("an object's actions", () => {
  const actions = [
    { type: 'membershipBenefits', url: 'https://harbour.example/club' },
    { type: 'call', url: 'tel:+49 40 1234' },
  ] as const;
  const link = { id: 'l2', uri: 'https://a.example/', description: 'Label' };

  it('an object has its actions as its first links, described in the language of the object', () => {
    const pass = aPass('offer', { fields: [], backFields: [aField('k', 'Label', 'https://a.example/')] });
    const linksIn = (language: string) => {
      const part = googleObject(aTemplate('offer', { actions }), pass, ids, { ...context, language });
      expect(problems(part)).toEqual([]);
      return (part.body as Body).linksModuleData.uris;
    };
    expect(linksIn('en-GB')).toEqual([
      { id: 'l0', uri: 'https://harbour.example/club', description: 'View membership benefits' },
      { id: 'l1', uri: 'tel:+49401234', description: 'Call' },
      link,
    ]);
    expect(linksIn('de')).toMatchObject([{ description: 'Vorteile der Mitgliedschaft ansehen' }, { id: 'l1' }, link]);
    expect(linksIn('xx')).toMatchObject([{ description: 'View membership benefits' }, { id: 'l1' }, link]);
  });

  it("an object shows the actions of its pass instead of the template's, and its class contains no actions", () => {
    const pass = aPass('offer', { actions: [], backFields: [] });
    expect(objectOf(aTemplate('offer', { actions }), pass).linksModuleData).toBeUndefined();
    expect(classOf(aTemplate('offer', { actions }))).toEqual(classOf(aTemplate('offer')));
  });
});

describe("an object's group and links", () => {
  it.each(renderTypes)(
    'an object of type %s contains its group, its position in that group, and its linked objects',
    (type) => {
      const linkedObjectIds = ['3388000000022222222.a', '3388000000022222222.b'];
      const grouping = { groupingId: 'AbC-123', sortIndex: 0 };
      const part = googleObject(aTemplate(type), aPass(type), { ...ids, grouping, linkedObjectIds }, context);
      expect(problems(part)).toEqual([]);
      expect(part.body).toMatchObject({ groupingInfo: grouping, linkedObjectIds });
      // An update never clears `linkedObjectIds`, because Google would keep the linked object in wallets.
      expect(part.owned).toContain('groupingInfo');
      expect(part.owned).not.toContain('linkedObjectIds');
    },
  );

  it('an object without a group or linked objects omits these properties', () => {
    const none = { ...ids, grouping: null, linkedObjectIds: [] };
    expect(googleObject(aTemplate('offer'), aPass('offer'), none, context)).toEqual(
      googleObject(aTemplate('offer'), aPass('offer'), ids, context),
    );
  });
});

describe('an object by type', () => {
  it('a generic object has its value as the header, or its title if there is no value', () => {
    const texts = (primaryValue: string | null) => {
      const body = objectOf(aTemplate('generic'), aPass('generic', { primaryValue }));
      const value = (name: string) => body[name]?.defaultValue.value;
      return [value('cardTitle'), value('subheader'), value('header'), textModules(body)['issuer']?.body];
    };
    expect(texts('Ada')).toEqual(['Autumn concert', 'Member', 'Ada', 'Harbour Hall']);
    expect(texts(null)).toEqual(['Harbour Hall', undefined, 'Autumn concert', undefined]);
  });

  it.each([
    ['HH-2026-000042', 'HH-2026-000042'],
    ['https://a.example/c/1', undefined],
    ['x'.repeat(41), undefined],
  ])('an event or membership object shows the code %j as the number %j', (code, number) => {
    expect(objectOf(aTemplate('event'), aPass('event', { code })).ticketNumber).toBe(number);
    expect(objectOf(aTemplate('membership'), aPass('membership', { code })).accountId).toBe(number);
  });

  it('an object of any type has at most 10 locations, with those of its template first', () => {
    const at = (latitude: number, count: number) => Array.from({ length: count }, () => aLocation({ latitude }));
    const body = objectOf(aTemplate('event', { locations: at(1, 6) }), aPass('event', { locations: at(2, 6) }));
    expect(body.merchantLocations.map(({ latitude }: Body) => latitude)).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
  });
});
