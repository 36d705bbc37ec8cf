import { passProblems } from './pass-problems.js';
import { matchColumns, passOfRow } from './pass-rows.js';

const template = {
  type: 'membership',
  primaryLabel: 'Member',
  fields: [{ key: 'seat', label: 'Seat' }],
  backFields: [{ key: 'terms', label: 'Terms of use' }],
};

it('a mapping uses the given columns first, and finds the other columns by their names', () => {
  const columns = ['Full Name', 'E-mail', 'SEAT', 'Valid until', 'terms of use', 'metadata.order', 'No'];
  expect(matchColumns(columns, template, { 'metadata.mail': 'E-mail' })).toEqual({
    'metadata.mail': 'E-mail',
    primaryValue: 'Full Name',
    'fields.seat': 'SEAT',
    expiry: 'Valid until',
    'backFields.terms': 'terms of use',
    'metadata.order': 'metadata.order',
  });
  expect(matchColumns(['Member', 'name'], template)).toEqual({ primaryValue: 'Member' });
  expect(matchColumns(['name'], { type: 'offer', fields: template.fields })).toEqual({});
});

it('a mapping leaves a column out whose name is a property of every JavaScript object', () => {
  expect(matchColumns(['Constructor', 'constructor', '__proto__', 'Name'], template)).toEqual({ primaryValue: 'Name' });
});

it('a mapping omits empty cells, and labels a field like the template or else like the column', () => {
  const mapping = {
    primaryValue: 'Name',
    'fields.seat': 'S',
    'fields.row': 'Row',
    'metadata.order': 'O',
    voided: 'V',
  };
  expect(passOfRow(mapping, { Name: ' Ada ', S: '1', Row: '2', O: 'x', V: 'yes' }, template)).toEqual({
    primaryValue: 'Ada',
    fields: [
      { key: 'seat', label: 'Seat', value: '1' },
      { key: 'row', label: 'Row', value: '2' },
    ],
    metadata: { order: 'x' },
    voided: true,
  });
  expect(passOfRow(mapping, { Name: '', S: '' }, template)).toEqual({});
});

it('a mapping fills the group and its order only from columns that the caller maps', () => {
  const mapping = { group: 'Order', 'group.order': 'No' };
  expect(passOfRow(mapping, { Order: ' A-1 ', No: '2' }, template)).toEqual({ group: { id: 'A-1', order: 2 } });
  expect(passOfRow(mapping, { Order: 'A-1', No: '' }, template)).toEqual({ group: { id: 'A-1' } });
  expect(passOfRow(mapping, { Order: 'A-1', No: 'two' }, template)).toEqual({ group: { id: 'A-1', order: 'two' } });
  expect(matchColumns(['group'], template)).toEqual({});
});

it('a JSON column overrides columns of single parts, and malformed JSON stays unchanged', () => {
  const mapping = { fields: 'All', 'fields.seat': 'Seat', actions: 'Do' };
  const fields = [{ key: 'row', label: 'Row', value: '1' }];
  expect(passOfRow(mapping, { All: JSON.stringify(fields), Seat: '2', Do: '[' }, template)).toEqual({
    ...{ fields, actions: '[' },
  });
  expect(passOfRow(mapping, { All: '', Seat: '2' }, template)).toEqual({
    fields: [{ key: 'seat', label: 'Seat', value: '2' }],
  });
  expect(passProblems({ primaryValue: 'Ada', fields: '[' } as never, template)).toHaveLength(1);
  expect(matchColumns(['translations', 'actions', 'fields'], template)).toEqual({});
});

it('passProblems finds values that the service would reject', () => {
  const pass = { id: 'a b', code: 'x'.repeat(513), expiry: '31.12.2026', thumbnail: 'https://x', voided: 'maybe' };
  expect(passProblems(pass as never, template)).toHaveLength(6);
  expect(passProblems({ primaryValue: 'Ada', expiry: '2026-12-31T23:00:00Z' }, template)).toEqual([]);
});

it.each([7, 1.5, true, { no: 7 }])('passProblems rejects the id %p, because an id is a text', (id) => {
  const problems = passProblems({ id, primaryValue: 'Ada' } as never, template);
  expect(problems).toEqual([`id ${JSON.stringify(id)} must be a text, such as "7"`]);
});

it.each([
  '2026-12-31T23:00:00+0100',
  '2026-12-31T23:00:00.0123456789Z',
  '2026-02-30T12:00:00Z',
  '1969-12-31T23:00:00Z',
])('passProblems rejects the time %s, as the service does', (expiry) => {
  expect(passProblems({ primaryValue: 'Ada', expiry }, template)).toEqual([expect.stringMatching(/^expiry /)]);
});

it.each(['🎟', '❤\ufe0f'])('passProblems counts the code points of %j as characters, as the service does', (unit) => {
  const textOf = (count: number) => unit.repeat(count).slice(0, (unit === '🎟' ? 2 : 1) * count);
  const problemsOf = (count: number) => {
    const fields = [{ key: 'seat', label: 'Seat', value: textOf(2 * count - 24) }];
    return passProblems({ primaryValue: textOf(count), code: textOf(count), fields }, template);
  };
  expect(problemsOf(512)).toEqual([]);
  expect(problemsOf(513)).toHaveLength(3);
});
