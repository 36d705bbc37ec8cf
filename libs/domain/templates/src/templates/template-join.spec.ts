import { splitTemplate } from './template-join.js';
import { Template } from './template.entity.js';

it('splitTemplate separates the template of a row from columns with the same names', () => {
  const { template, row } = splitTemplate({
    id: 'ada',
    fields: [],
    'template.id': 'gold',
    'template.archivedAt': null,
  });
  expect(row).toStrictEqual({ id: 'ada', fields: [] });
  expect(template).toStrictEqual(Object.assign(new Template(), { id: 'gold', archivedAt: null }));
});
