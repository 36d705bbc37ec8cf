import { checkedMapping, completeMapping, readMapOption } from './mapping.js';

const template = {
  type: 'membership',
  primaryLabel: 'Member',
  fields: [{ key: 'seat', label: 'Seat' }],
  backFields: [{ key: 'terms', label: 'Terms of use' }],
};

it('a mapping with an unknown part or column is rejected', () => {
  expect(readMapOption('fields.a.b=C=D')).toEqual({ 'fields.a.b': 'C=D' });
  expect(readMapOption('group.order=No')).toEqual({ 'group.order': 'No' });
  expect(checkedMapping({ code: 'C', fields: { seat: 'S' } }, 'm.yaml')).toEqual({ code: 'C', 'fields.seat': 'S' });
  for (const wrong of ['colour=C', 'code', '=C', 'fields.=C']) expect(() => readMapOption(wrong)).toThrow();
  expect(() => completeMapping({ code: 'Code' }, ['code'], template)).toThrow('There is no column "Code"');
});
