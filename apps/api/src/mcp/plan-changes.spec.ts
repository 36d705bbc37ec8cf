import { changesOfPatch, changesOfReplacement } from './plan-changes.js';

const template = {
  id: 'gold',
  accountId: 'acc_1',
  archived: false,
  type: 'event',
  title: 'Concert',
  startDate: '2027-06-21T18:00:00.000Z',
  sharingProhibited: false,
  fields: [{ key: 'seat', label: 'Seat', value: '4' }],
  locations: [],
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
};

it('changesOfReplacement lists changed, added and cleared properties, with their values before and after', () => {
  const body = { type: 'event', title: 'Late concert', startDate: template.startDate, labelColor: '#fff' };
  expect(changesOfReplacement(template, body)).toEqual({
    title: { from: 'Concert', to: 'Late concert' },
    labelColor: { from: undefined, to: '#fff' },
    fields: { from: template.fields, to: undefined },
  });
});

it('changesOfReplacement lists nothing for the same content in another form', () => {
  const body = {
    locations: null,
    fields: [{ value: '4', label: 'Seat', key: 'seat' }],
    startDate: '2027-06-21T20:00:00+02:00',
    title: 'Concert',
    type: 'event',
  };
  expect(changesOfReplacement(template, body)).toEqual({});
});

it('changesOfReplacement treats an empty change message like null, and an absent one like the default message', () => {
  const fieldsWith = (changeMessage: object) => [{ ...template.fields[0], ...changeMessage }];
  const [empty, silent, own, absent] = [
    ...['', null, 'Now %@'].map((changeMessage) => ({ fields: fieldsWith({ changeMessage }) })),
    { fields: fieldsWith({}) },
  ];
  const changes = (now: object = {}, body: object = {}) =>
    Object.keys(changesOfReplacement({ ...template, ...now }, { ...template, ...body }));
  for (const now of [silent, own, absent]) {
    for (const body of [empty, silent, own, absent]) {
      const isSame = now === body || (now === silent && body === empty);
      expect(changes(now, body)).toEqual(isSame ? [] : ['fields']);
    }
  }
  expect(changesOfPatch({ fields: silent?.fields }, { fields: empty?.fields })).toEqual({});
});

it('changesOfPatch lists only the changes of the patch', () => {
  const pass = { id: 'ada', code: 'A-1', expiry: '2027-01-01T00:00:00.000Z', voided: false };
  expect(changesOfPatch(pass, { expiry: null, code: 'A-1', voided: true })).toEqual({
    expiry: { from: pass.expiry, to: undefined },
    voided: { from: false, to: true },
  });
});

it('changesOfPatch lists every new value of the metadata, including false and an empty list', () => {
  for (const value of [false, []]) {
    expect(changesOfPatch({ metadata: {} }, { metadata: { paid: value } })).toEqual({
      metadata: { from: {}, to: { paid: value } },
    });
  }
  expect(changesOfPatch({ metadata: { a: 1, b: [] } }, { metadata: { b: [], a: 1, c: null } })).toEqual({});
  expect(changesOfPatch({}, { metadata: {} })).toEqual({});
});

it('changesOfPatch ignores another notation of the same time, but only in time properties', () => {
  const [now, body] = ['2027-06-21T18:00:00.000Z', '2027-06-21T20:00:00+02:00'];
  for (const name of ['code', 'primaryValue']) {
    expect(changesOfPatch({ [name]: now }, { [name]: body })).toEqual({ [name]: { from: now, to: body } });
  }
  for (const name of ['validFrom', 'expiry']) expect(changesOfPatch({ [name]: now }, { [name]: body })).toEqual({});
});

it('changesOfPatch lists a value of an object as removed only if the patch removes it', () => {
  const pass = { metadata: { order: 7, shop: 'Berlin' }, translations: { de: { title: 'Karte' } } };
  expect(changesOfPatch(pass, { metadata: { order: 7 } })).toEqual({});
  expect(changesOfPatch(pass, { metadata: { order: 8 }, translations: { de: null } })).toEqual({
    metadata: { from: pass.metadata, to: { order: 8, shop: 'Berlin' } },
    translations: { from: pass.translations, to: {} },
  });
  expect(changesOfPatch(pass, { metadata: null })).toEqual({ metadata: { from: pass.metadata, to: undefined } });
});

it("changesOfPatch lists an empty list of actions as a change, because an empty list hides the template's actions", () => {
  const actions = [{ type: 'shop', url: 'https://a.example' }];
  expect(changesOfPatch({}, { actions: [] })).toEqual({ actions: { from: undefined, to: [] } });
  expect(changesOfPatch({ actions: [] }, { actions: null })).toEqual({ actions: { from: [], to: undefined } });
  expect(changesOfPatch({ actions }, { actions: [] })).toEqual({ actions: { from: actions, to: [] } });
  expect(changesOfPatch({ actions }, { actions: null })).toEqual({ actions: { from: actions, to: undefined } });
  for (const same of [[], actions, null]) expect(changesOfPatch({ actions: same }, { actions: same })).toEqual({});
  expect(changesOfPatch({}, { actions: null })).toEqual({});
});
