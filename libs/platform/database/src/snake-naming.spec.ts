import { SnakeNaming } from './snake-naming.js';

const naming = new SnakeNaming();

it.each([
  ['id', 'id'],
  ['createdAt', 'created_at'],
  ['passTypeIdentifier', 'pass_type_identifier'],
])('SnakeNaming turns the property name %s into the column name %s', (property, column) => {
  expect(naming.columnName(property, undefined)).toBe(column);
});

it('SnakeNaming keeps a name that an entity sets', () => {
  expect(naming.columnName('createdAt', 'made')).toBe('made');
});
