import { SnakeNaming } from './snake-naming.js';

const naming = new SnakeNaming();

it.each([
  ['id', 'id'],
  ['createdAt', 'created_at'],
  ['passTypeIdentifier', 'pass_type_identifier'],
])('SnakeNaming names the column of %s %s', (property, column) => {
  expect(naming.columnName(property, undefined)).toBe(column);
});

it('SnakeNaming keeps a name that an entity sets', () => {
  expect(naming.columnName('createdAt', 'made')).toBe('made');
});
