import fc from 'fast-check';
import { currentLines, frontChanges, noticesOf, type Shown, silentChangesOf } from './change-notices.js';
import { aField, aLocation, anyTemplateAndPass, aPass, aTemplate } from './render.fixtures.js';

const now = new Date('2026-11-20T09:00:00.000Z');
const later = new Date('2026-12-24T18:30:00.000Z');

const event = (template = {}, pass = {}): Shown => ({
  template: aTemplate('event', { fields: [aField('seat', 'Seat', '12')], ...template }),
  pass: aPass('event', { fields: [], ...pass }),
});
const membership = (pass = {}): Shown => ({ template: aTemplate('membership'), pass: aPass('membership', pass) });
const notices = (before: Shown, after: Shown) => noticesOf(frontChanges(before, after, now));

describe('lock screen lines', () => {
  it.each([
    ['another value of a field', event(), event({}, { fields: [aField('seat', 'Seat', '14')] }), 'seat', 'Seat: 14'],
    [
      'another value and label of a field',
      event(),
      event({ fields: [aField('seat', 'Place', '14')] }),
      'seat',
      'Place: 14',
    ],
    [
      'a message of its own',
      event(),
      event({ fields: [{ ...aField('seat', 'Seat', '14'), changeMessage: '100 % sure: %@' }] }),
      'seat',
      '100 % sure: 14',
    ],
    ['another title', event(), event({ title: 'Winter concert' }), '_title', 'Winter concert'],
    ['another date', event(), event({ startDate: later }), '_date', 'Date: 24 December 2026, 19:30'],
    [
      'another date of an event whose time zone is unknown',
      event({ location: null, locations: [] }),
      event({ location: null, locations: [], startDate: later }),
      '_date',
      'Date: 24 December 2026, 18:30 UTC',
    ],
    [
      'another day',
      event(),
      event({ startDay: '2026-12-24', startDate: new Date('2026-12-23T23:00:00.000Z') }),
      '_date',
      'Date: 24 December 2026',
    ],
    ['another place', event(), event({ location: aLocation({ name: 'Dome' }) }), '_place', 'Place: Dome'],
    ['another primary value', membership(), membership({ primaryValue: 'Grace' }), '_primary', 'Member: Grace'],
  ] as const)('the lock screen announces %s', (_, before, after, key, message) => {
    expect(notices(before, after)).toEqual([{ key, message }]);
  });

  it('the lock screen announces the changed fields in their order on the front', () => {
    const after = event({ title: 'Winter concert', startDate: later }, { fields: [aField('seat', 'Seat', '14')] });
    expect(notices(event(), after).map(({ key }) => key)).toEqual(['_title', '_date', 'seat']);
  });

  it('the lock screen shows a value with special characters unchanged', () => {
    const after = event({}, { fields: [aField('seat', 'Seat', '$& %@ 50 %')] });
    expect(notices(event(), after)).toEqual([{ key: 'seat', message: 'Seat: $& %@ 50 %' }]);
  });
});

describe('lines in other languages', () => {
  const translations = {
    de: { 'fields.seat.label': 'Platz', 'fields.seat.changeMessage': 'Sie sitzen auf %@', title: 'Herbstkonzert' },
    fr: { 'fields.seat.label': 'Siège' },
  };
  const change = { fields: [aField('seat', 'Seat', '14')] };

  it('the lock screen line of a change exists in each language of the template', () => {
    const seat = { ...aField('seat', 'Seat', '12'), changeMessage: 'Now %@' };
    const own = { fields: [seat], translations };
    const pass = { fields: [{ ...seat, value: '14' }] };
    expect(notices(event(own), event(own, pass))).toEqual([
      { key: 'seat', message: 'Now 14', translations: { de: 'Sie sitzen auf 14', fr: 'Now 14' } },
    ]);
    const plain = { translations: { fr: translations.fr } };
    expect(notices(event(plain), event(plain, change))).toEqual([
      { key: 'seat', message: 'Seat: 14', translations: { fr: 'Siège: 14' } },
    ]);
  });

  it('the lock screen line of a change contains the translated value of the pass', () => {
    const after = event({}, { ...change, translations: { de: { 'fields.seat.value': 'vierzehn' } } });
    expect(notices(event(), after)).toEqual([
      { key: 'seat', message: 'Seat: 14', translations: { de: 'Seat: vierzehn' } },
    ]);
  });

  it('the translated lines about a change have at most 20,000 characters in all languages together', () => {
    const label = 'x'.repeat(100);
    const text = 'y'.repeat(900);
    const table = { 'fields.seat.label': label, 'fields.seat.value': text };
    const tags = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `d${letter}`);
    const of = { translations: Object.fromEntries(tags.map((tag) => [tag, table])) };
    const [notice] = notices(event(), event({}, { ...change, ...of }));
    expect(Object.keys(notice?.translations ?? {})).toHaveLength(Math.floor(20_000 / (label.length + 2 + text.length)));
  });

  it('frontChanges translates the lock screen lines of a change, but not the fields on the back', () => {
    let reads = 0;
    const back = {
      ...aField('terms'),
      get value() {
        reads += 1;
        return 'Terms';
      },
    };
    const shown = (value: string) =>
      event({ translations, backFields: [back] }, { fields: [aField('seat', 'Seat', value)] });
    const [before, after] = [shown('12'), shown('14')];
    frontChanges(before, before, now);
    const withoutLines = reads;
    expect(notices(before, after)[0]!.translations).toHaveProperty('de');
    expect(reads).toBe(2 * withoutLines);
  });
});

describe('silent changes', () => {
  const changed = { fields: [aField('seat', 'Seat', '14')] };

  it.each([
    ['a changed label alone', event(), event({ fields: [aField('seat', 'Place', '12')] })],
    ['a new field', event(), event({}, { fields: [aField('gate', 'Gate', 'B')] })],
    ['a value that becomes empty', event(), event({}, { fields: [aField('seat', 'Seat', '')] })],
    ['a value that was empty before', event({ fields: [aField('seat', 'Seat', '')] }), event()],
    [
      'a field that asks for silence',
      event(),
      event({ fields: [{ ...aField('seat', 'S', '14'), changeMessage: '' }] }),
    ],
    ['the back', event(), event({ backFields: [aField('terms', 'Terms', 'None.')] })],
    ['a barcode', event(), event({}, { code: 'OTHER' })],
    ['a pass that is voided', event(), event({}, { ...changed, voidedAt: now })],
    ['a pass that is redeemed', event(), event({}, { ...changed, redeemedAt: now })],
    ['a pass that has expired', event(), event({}, { ...changed, expiresAt: now })],
    ['a template that is archived', event(), event({ archivedAt: now }, changed)],
  ])('the lock screen does not announce %s', (_, before, after) => {
    expect(notices(before, after)).toEqual([]);
  });

  it('the lock screen announces nothing for an unchanged pass', () => {
    fc.assert(fc.property(anyTemplateAndPass, (shown) => expect(frontChanges(shown, shown, now)).toEqual([])));
  });
});

describe('changes of the front', () => {
  it('frontChanges lists each change with its old and new value; a silent change has no line', () => {
    const field = (key: string, value: string, changeMessage?: string) => ({
      ...aField(key, 'L', value),
      changeMessage,
    });
    const before = event({ fields: [] }, { fields: [field('gone', '1'), field('seat', '12'), field('hush', '1', '')] });
    const after = event({ fields: [] }, { fields: [field('hush', '2', ''), field('seat', '14'), field('new', '3')] });
    expect(frontChanges(before, after, now)).toEqual([
      { key: 'hush', before: '1', after: '2', message: null },
      { key: 'seat', before: '12', after: '14', message: 'L: 14' },
      { key: 'new', before: null, after: '3', message: null },
      { key: 'gone', before: '1', after: null, message: null },
    ]);
  });
});

describe('reasons of silent changes', () => {
  const silentOf = (before: Shown, after: Shown) => silentChangesOf(frontChanges(before, after, now), after, now);
  const seat = (value: string, more = {}) => ({ ...aField('seat', 'Seat', value), ...more });

  it.each([
    ['silent_field', event(), event({ fields: [seat('14', { changeMessage: '' })] })],
    ['new_field', event({ fields: [] }), event()],
    ['removed_field', event(), event({ fields: [seat('')] })],
    ['pass_state', event(), event({ fields: [seat('14')] }, { voidedAt: now })],
  ] as const)('silentChangesOf returns the reason "%s"', (reason, before, after) => {
    expect(silentOf(before, after)).toEqual([{ key: 'seat', reason }]);
  });

  it('silentChangesOf omits a change that has a lock screen line', () => {
    expect(silentOf(event(), event({ fields: [seat('14')] }))).toEqual([]);
  });
});

describe('current lines', () => {
  it('currentLines returns the lock screen lines of the named fields, in all languages of the pass', () => {
    const shown = event({ translations: { de: { 'fields.seat.label': 'Platz' } } });
    const line = { key: 'seat', message: 'Seat: 12', translations: { de: 'Platz: 12' } };
    expect(currentLines(shown, new Set(['seat', 'gone']))).toEqual([line]);
    expect(currentLines(shown, new Set())).toEqual([]);
  });
});
