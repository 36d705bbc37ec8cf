import fc from 'fast-check';
import { ValidationFailed } from '@passwright/core';
import { contentOf } from './template-content.js';
import { templateExamples } from './template-examples.js';
import { TemplateRequestPipe } from './template-request.pipe.js';
import { templateRequests, type TemplateRequest } from './template.dto.js';

type Type = keyof typeof templateRequests;
type Body = Record<string, unknown>;

const pipe = new TemplateRequestPipe();
/** Runs the pipe on a body of plain objects, as they come from parsing JSON. */
const read = (body: unknown): Promise<TemplateRequest> => pipe.transform(JSON.parse(JSON.stringify(body)));
const example = (type: Type): Body => JSON.parse(JSON.stringify(templateExamples[type].value)) as Body;
const types = Object.keys(templateRequests) as Type[];

const place = { address: 'Main Street 1', latitude: 1.5, longitude: -2 };
const field = (key: string) => ({ key, label: 'L', value: 'V' });

async function problemsOf(body: unknown): Promise<string> {
  const rejection: unknown = await read(body).catch((error: unknown) => error);
  expect(rejection).toBeInstanceOf(ValidationFailed);
  return (rejection as ValidationFailed).message;
}

describe.each(types)('a template of type %s', (type) => {
  it('TemplateRequestPipe returns an instance of the class of the template’s type, with all properties', async () => {
    const request = await read(example(type));
    expect(request).toBeInstanceOf(templateRequests[type]);
    expect(JSON.parse(JSON.stringify(request))).toEqual(example(type));
  });

  it('TemplateRequestPipe names a missing required property', async () => {
    const common = ['foregroundColor', 'backgroundColor', 'icon', 'logo', 'banner', 'title', 'issuerName'];
    const own = {
      offer: [],
      event: ['startDate'],
      generic: ['primaryLabel', 'thumbnail'],
      membership: ['primaryLabel'],
    }[type];
    for (const property of [...common, ...own]) {
      const { [property]: _left, ...rest } = example(type);
      expect(await problemsOf(rest)).toMatch(new RegExp(`^${property} `));
    }
  });

  it('TemplateRequestPipe rejects properties of another type of template', async () => {
    const foreign: Record<Type, Body> = {
      offer: {
        startDate: '2027-01-01T10:00:00Z',
        location: place,
        primaryLabel: 'X',
        thumbnail: 'https://x.example/a.png',
      },
      event: { primaryLabel: 'X', thumbnail: 'https://x.example/a.png', artwork: 'https://x.example/a.png' },
      generic: { startDate: '2027-01-01T10:00:00Z', location: place },
      membership: { startDate: '2027-01-01T10:00:00Z', location: place, thumbnail: 'https://x.example/a.png' },
    };
    for (const [property, value] of Object.entries(foreign[type])) {
      const rejection = `${property} is not known here: only templates of type `;
      expect(await problemsOf({ ...example(type), [property]: value })).toContain(rejection);
    }
  });

  it('TemplateRequestPipe names the types of templates to which a rejected property belongs', async () => {
    const problem = await problemsOf({ ...example('offer'), primaryLabel: 'X', colour: 'red' });
    expect(await problemsOf({ ...example('event'), artwork: 'https://x.example/a.png' })).toBe(
      'artwork is not known here: only templates of type offer, generic or membership have it',
    );
    expect(problem.split('; ').sort()).toEqual([
      'colour is not known here',
      'primaryLabel is not known here: only templates of type generic or membership have it',
    ]);
  });

  it('TemplateRequestPipe rejects unknown properties at any depth, and rejects properties that the service sets', async () => {
    for (const property of ['colour', 'id', 'accountId', 'archived', 'createdAt', 'Title']) {
      expect(await problemsOf({ ...example(type), [property]: 'x' })).toBe(`${property} is not known here`);
    }
    expect(await problemsOf({ ...example(type), fields: [{ ...field('a'), valeu: 'x' }] })).toBe(
      'fields[0].valeu is not known here',
    );
    expect(await problemsOf({ ...example(type), locations: [{ ...place, lat: 1 }] })).toContain('locations[0].lat');
  });

  it('TemplateRequestPipe treats null for an optional property as absent', async () => {
    const empty = {
      labelColor: null,
      background: null,
      locations: null,
      fields: null,
      backFields: null,
      sharingProhibited: null,
      codeFormat: null,
      actions: null,
    };
    await expect(read({ ...example(type), ...empty })).resolves.toBeInstanceOf(templateRequests[type]);
  });

  it('TemplateRequestPipe does not crash on an invalid value of any property', async () => {
    const property = fc.constantFrom(...Object.keys(example(type)), 'locations', 'fields', 'backFields', 'actions');
    await fc.assert(
      fc.asyncProperty(property, fc.jsonValue(), async (name, value) => {
        const outcome = await read({ ...example(type), [name]: value }).catch((error: unknown) => error);
        expect(
          outcome instanceof ValidationFailed || types.some((each) => outcome instanceof templateRequests[each]),
        ).toBe(true);
      }),
    );
  });
});

describe('the type of a template', () => {
  it('TemplateRequestPipe reads a template as an offer if the type is absent or null', async () => {
    const { type: _type, ...rest } = example('offer');
    expect((await read(rest)).type).toBeUndefined();
    await expect(read({ ...rest, type: null })).resolves.toBeInstanceOf(templateRequests.offer);
  });

  it.each(['coupon', 'Offer', '', 'constructor', 'toString', '__proto__', 3, {}, [], true])(
    'TemplateRequestPipe rejects the type %j',
    async (type) => {
      expect(await problemsOf({ ...example('offer'), type })).toBe(
        'type must be one of offer, event, generic, membership',
      );
    },
  );

  it('TemplateRequestPipe does not read the type from the prototype of the body', async () => {
    const body: unknown = Object.create({ type: 'event' });
    await expect(pipe.transform(body)).rejects.toThrow(/JSON object/);
  });
});

it.each([null, [], 'text', 3, true, [{}]])('TemplateRequestPipe rejects %j as a body', async (body) => {
  expect(await problemsOf(body)).toContain('must be a JSON object');
});

it('TemplateRequestPipe rejects an absent body', async () => {
  await expect(pipe.transform(undefined)).rejects.toThrow(/must be a JSON object/);
});

describe('the fields of a template', () => {
  it('TemplateRequestPipe allows at most 4 fields on the front and 50 on the back', async () => {
    const many = (count: number, side: string) => Array.from({ length: count }, (_, index) => field(`${side}${index}`));
    await expect(read({ ...example('offer'), fields: many(4, 'f'), backFields: many(50, 'b') })).resolves.toBeDefined();
    expect(await problemsOf({ ...example('offer'), fields: many(5, 'f') })).toMatch(
      /^fields must contain no more than 4/,
    );
    expect(await problemsOf({ ...example('offer'), backFields: many(51, 'b') })).toMatch(/^backFields .*50/);
  });

  it('TemplateRequestPipe rejects a reserved field key, and a key that two front or back fields share', async () => {
    expect(await problemsOf({ ...example('offer'), fields: [field('a'), field('a')] })).toContain('fields[1].key');
    expect(await problemsOf({ ...example('offer'), fields: [field('a')], backFields: [field('a')] })).toContain(
      'backFields[0].key',
    );
    expect(await problemsOf({ ...example('offer'), fields: [field('_date')] })).toContain('fields[0].key');
  });

  it('TemplateRequestPipe allows field values that are empty or have several lines', async () => {
    const fields = [
      { key: 'a', label: 'L', value: '' },
      { key: 'b', label: 'L', value: 'one\ntwo\t"three" 🎉 שלום' },
    ];
    expect((await read({ ...example('offer'), fields })).fields).toEqual(fields);
  });

  it.each([
    [{}],
    [{ key: 'a', label: 'L', value: 3 }],
    [null],
    ['text'],
    [[]],
    [{ key: '', label: 'L', value: '' }],
    [{ key: 'a', label: '', value: '' }],
  ])('TemplateRequestPipe rejects the fields [%j]', async (bad) => {
    expect(await problemsOf({ ...example('offer'), fields: [bad] })).toMatch(/^fields/);
  });
});

describe('the change messages of fields', () => {
  const withMessage = (changeMessage: unknown, list = 'fields') => ({
    ...example('offer'),
    [list]: [{ ...field('a'), changeMessage }],
  });

  it.each(['%@', '100 % sure: %@', '', null])('TemplateRequestPipe accepts the change message %j', async (message) => {
    expect((await read(withMessage(message))).fields).toEqual([{ ...field('a'), changeMessage: message }]);
  });

  it.each(['New', '%@ %@', '%d', `%@${'x'.repeat(99)}`, 'two\nlines %@', 5, {}])(
    'TemplateRequestPipe rejects the change message %j',
    async (message) => {
      expect(await problemsOf(withMessage(message))).toMatch(/^fields\[0\]\.changeMessage must /);
    },
  );

  it('TemplateRequestPipe rejects change messages of back fields, because back fields change silently', async () => {
    expect(await problemsOf(withMessage('%@', 'backFields'))).toBe('backFields[0].changeMessage is not known here');
  });
});

it('TemplateRequestPipe accepts exactly eight barcode formats', async () => {
  for (const codeFormat of ['qr', 'pdf417', 'aztec', 'code128', 'code39', 'codabar', 'ean13', 'itf']) {
    await expect(read({ ...example('offer'), codeFormat })).resolves.toMatchObject({ codeFormat });
  }
  for (const codeFormat of ['QR', 'ean8', '', 3, ['qr'], 'toString']) {
    expect(await problemsOf({ ...example('offer'), codeFormat })).toBe(
      'codeFormat must be one of qr, pdf417, aztec, code128, code39, codabar, ean13, itf',
    );
  }
});

it('TemplateRequestPipe allows at most 10 locations, with valid coordinates', async () => {
  const locations = Array.from({ length: 10 }, () => place);
  await expect(read({ ...example('offer'), locations })).resolves.toBeDefined();
  expect(await problemsOf({ ...example('offer'), locations: [...locations, place] })).toMatch(/^locations .*10/);
  for (const off of [{ latitude: 90.1 }, { latitude: -91 }, { longitude: 181 }, { latitude: '1' }, { address: '' }]) {
    expect(await problemsOf({ ...example('offer'), locations: [{ ...place, ...off }] })).toMatch(/^locations\[0\]\./);
  }
});

it('TemplateRequestPipe requires a date, or a start time with a time zone, for an event', async () => {
  for (const startDate of ['tomorrow', '2027-02-30T10:00:00Z', '2027-02-30', '2027-06-21T18:00', 1800000000]) {
    expect(await problemsOf({ ...example('event'), startDate })).toMatch(/^startDate must be an ISO 8601/);
  }
  for (const startDate of ['2027-06-21T20:00:00+02:00', '2027-06-21']) {
    await expect(read({ ...example('event'), startDate })).resolves.toMatchObject({ startDate });
  }
});

it('TemplateRequestPipe rejects an event that ends before it starts, or whose doors open after the start', async () => {
  const times = (endDate: string, doorsOpen: string) => problemsOf({ ...example('event'), endDate, doorsOpen });
  expect(await times('2027-06-21T18:00:00Z', '2027-06-21T18:00:00.001Z')).toBe(
    'endDate must be later than startDate, 2027-06-21T18:00:00.000Z; give an endDate later than startDate; ' +
      'doorsOpen must not be later than startDate, 2027-06-21T18:00:00.000Z; give a doorsOpen at or before startDate',
  );
  for (const name of ['endDate', 'doorsOpen']) {
    expect(await problemsOf({ ...example('event'), [name]: '2027-06-21' })).toMatch(
      new RegExp(`^${name} must be an ISO 8601 date-time`),
    );
    expect(await problemsOf({ ...example('offer'), [name]: '2027-06-21T18:00:00Z' })).toBe(
      `${name} is not known here: only templates of type event have it`,
    );
  }
});

describe('the translations of a template', () => {
  const translated = (translations: unknown) => problemsOf({ ...example('offer'), translations });

  it('TemplateRequestPipe reads translations by language and key', async () => {
    const translations = { de: { title: '20 %', 'fields.discount.label': 'Rabatt' }, 'PT-br': { title: '20 %' } };
    const request = await read({ ...example('offer'), language: 'EN', translations });
    expect(request).toMatchObject({ language: 'EN', translations });
    expect(contentOf(request, {})).toMatchObject({
      language: 'en',
      translations: { de: translations.de, 'pt-BR': translations['PT-br'] },
    });
    expect(contentOf({ ...request, translations: { de: {} } }, {}).translations).toBeNull();
  });

  it.each([
    ['Deutsch', 'translations must be an object of languages'],
    [[], 'translations must be an object of languages'],
    [{ german: {} }, 'translations: "german" must be the BCP 47 tag of a language, such as de, pt-BR or zh-Hant'],
    [{ de: 'x' }, 'translations.de must be an object of texts'],
    [{ de: { title: 5 } }, 'translations.de["title"] must be a string'],
    [{ 'pt-br': {}, 'pt-BR': {} }, 'translations must have pt-BR only once'],
    [{ de: { [`fields.${'x'.repeat(150)}.label`]: 'x' } }, 'translations.de: a key must be at most 150 characters'],
    [
      { de: { 'backFields.terms.value': 'é'.repeat(50_000) } },
      'translations must be at most 100000 bytes when serialised',
    ],
    [{ de: { titel: 'x' } }, 'translations.de.titel: it matches no text; did you mean "title"?'],
    [
      { 'pt-BR': { 'fields.discount.lable': 'x' } },
      'translations["pt-BR"]["fields.discount.lable"]: it matches no text; did you mean "fields.discount.label"?',
    ],
    [{ de: { title: '' } }, 'translations.de.title: it is empty; give it the form of the text that it translates'],
  ])('TemplateRequestPipe rejects the translations %j', async (translations, problem) => {
    expect(await translated(translations)).toBe(problem);
  });

  it('TemplateRequestPipe rejects more than 40 languages, and rejects a language that is not a BCP 47 tag', async () => {
    const many = Array.from({ length: 41 }, (_, index) => [
      `a${String.fromCharCode(97 + (index % 26))}-${100 + index}`,
      {},
    ]);
    expect(await translated(Object.fromEntries(many))).toBe('translations must have at most 40 languages');
    expect(await problemsOf({ ...example('offer'), language: 'de_DE' })).toMatch(/^language must be the BCP 47 tag/);
  });
});

describe('the actions of a template', () => {
  const withActions = (...actions: unknown[]) => ({ ...example('offer'), actions });
  const shop = { type: 'shop', url: 'https://example.com/shop' };

  it.each([[[]], [[shop]], [[shop, { type: 'call', url: 'tel:+47 22 33 44 55' }]]])(
    'TemplateRequestPipe accepts the actions %j',
    async (actions) => {
      expect((await read(withActions(...actions))).actions).toEqual(actions);
    },
  );

  it.each([
    ['a third action', [shop, shop, shop], /^actions must contain no more than 2/],
    ['an unknown type', [{ ...shop, type: 'party' }], /^actions\[0\]\.type must be one of viewSchedule, /],
    [
      'a place whose address is not in Apple Maps',
      [{ ...shop, type: 'place' }],
      /^actions\[0\]\.url: "https:.* is not the address of a place in Apple Maps/,
    ],
    ['no address', [{ type: 'shop' }], /^actions\[0\]\.url is required/],
    [
      'a long address',
      [{ ...shop, url: `https://example.com/${'x'.repeat(2048)}` }],
      /^actions\[0\]\.url must be shorter/,
    ],
    ['an unknown property', [{ ...shop, label: 'Shop' }], /^actions\[0\]\.label is not known here/],
    [
      'a plain http address',
      [shop, { ...shop, url: 'http://example.com/' }],
      /^actions\[1\]\.url: "http:\/\/example\.com\/" is not an https address; give an https address$/,
    ],
    [
      'an address with a password',
      [{ ...shop, url: 'https://ada:secret@example.com/' }],
      /^actions\[0\]\.url: ".*" has a user name or password; give an https address$/,
    ],
    [
      'a call with a web address',
      [{ ...shop, type: 'call' }],
      /^actions\[0\]\.url: "https:.*" is not a telephone number; give tel: and the number, such as tel:\+4722334455$/,
    ],
    ['a text', ['shop'], /^actions must be a list of objects/],
  ])('TemplateRequestPipe rejects %s and names the wrong property', async (_, actions, problem) => {
    expect(await problemsOf(withActions(...actions))).toMatch(problem);
  });
});

describe('the colours of a template', () => {
  it.each(['#abc', '#A1B2C3', 'rgb(1,2,3)', 'rgb(10%, 20%, 30%)', 'rgba(1, 2, 3, 0.5)'])(
    'TemplateRequestPipe accepts the colour %s unchanged',
    async (colour) => {
      expect((await read({ ...example('offer'), foregroundColor: colour })).foregroundColor).toBe(colour);
    },
  );

  it.each(['red', '#12', '#12345', '#1234567', 'rgb(1,2)', '', 'url(x)', 7, `rgb(${'1'.repeat(100)}`])(
    'TemplateRequestPipe rejects the colour %j',
    async (colour) => {
      expect(await problemsOf({ ...example('offer'), labelColor: colour })).toMatch(/^labelColor must/);
    },
  );
});

it('a translation may have as many characters as its text, whatever the characters are', async () => {
  const unit = fc.constantFrom('x', 'é', '東', '🎟', '❤️', '👩‍👧', '\u{1f3f3}\ufe0f');
  const limited = fc.constantFrom(['title', 200], ['fields.points.label', 100], ['fields.points.changeMessage', 100]);
  await fc.assert(
    fc.asyncProperty(unit, limited, fc.integer({ min: -3, max: 3 }), async (sign, [key, max], more) => {
      const isMessage = key === 'fields.points.changeMessage';
      const text = `${sign.repeat(Math.max(1, Number(max) - (isMessage ? 2 : 0) + more))}${isMessage ? '%@' : ''}`;
      const short = { ...field('points'), changeMessage: '%@' };
      const name = String(key).split('.').at(-1) ?? '';
      const isAccepted = (body: Body) =>
        read({ ...example('offer'), fields: [short], translations: {}, ...body }).then(
          () => true,
          () => false,
        );
      const asOwn = name === 'title' ? { title: text } : { fields: [{ ...short, [name]: text }] };
      expect([key, text, await isAccepted({ translations: { de: { [String(key)]: text } } })]).toEqual([
        ...[key, text, await isAccepted(asOwn)],
      ]);
    }),
    { examples: [['🎟', ['title', 200], 0]] },
  );
});
