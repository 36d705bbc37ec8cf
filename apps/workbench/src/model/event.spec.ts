import { subjectOf } from './event.js';

it.each([
  [
    { templateId: 'club', passId: 'ada' },
    { name: 'club/ada', address: '#/passes/club/ada' },
  ],
  [
    { memberId: 7, templateId: 'club', passId: 'ada' },
    { name: 'member 7', address: '#/passes/club/ada' },
  ],
  [
    { templateId: 'club', archived: true },
    { name: 'club', address: '#/templates/club' },
  ],
  [
    { messageId: 'msg_1', templateId: 'club' },
    { name: 'msg_1', address: '#/messages/msg_1' },
  ],
  [{ webhookId: 'wh_1' }, { name: 'wh_1', address: '#/webhooks/wh_1' }],
  [
    { wallet: 'walletA', passTypeIdentifier: 'pass.x' },
    { name: 'pass.x', address: '#/certificates' },
  ],
  [{ unknown: true }, null],
])('subjectOf finds the resource of %j', (data, expected) => {
  expect(subjectOf(data)).toEqual(expected);
});
