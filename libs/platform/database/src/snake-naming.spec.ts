import { SnakeNaming } from './snake-naming.js';

const naming = new SnakeNaming();

it.each([
  ['id', 'id'],
  ['createdAt', 'created_at'],
  ['passTypeIdentifier', 'pass_type_identifier'],
])('%s is the column %s', (property, column) => {
  expect(naming.columnName(property, undefined)).toBe(column);
});

it('leaves a name that an entity gives', () => {
  expect(naming.columnName('createdAt', 'made')).toBe('made');
});
