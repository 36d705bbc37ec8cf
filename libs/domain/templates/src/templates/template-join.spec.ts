import { splitTemplate } from './template-join.js';
import { Template } from './template.entity.js';

it('splitTemplate separates the template’s columns from other columns with the same names', () => {
  const { template, row } = splitTemplate({
    id: 'ada',
    fields: [],
    'template.id': 'gold',
    'template.archivedAt': null,
  });
  expect(row).toStrictEqual({ id: 'ada', fields: [] });
  expect(template).toStrictEqual(Object.assign(new Template(), { id: 'gold', archivedAt: null }));
});
