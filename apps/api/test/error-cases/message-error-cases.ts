import type { ErrorCase } from './device-error-cases.js';
import type { Account } from '../support/running-service.js';

const message = { text: 'Doors open at six.' };

/** Returns the error cases of messages to holders. */
export function messageErrorCases({ account }: { readonly account: () => Account }): ErrorCase[] {
  const post = (path: string, body: object = message) => account().post(path, body);
  const put = (path: string, body: object) => {
    const { service, token } = account();
    return service.request('PUT', path, { token, body });
  };
  /** Sends a request about a message that was sent. */
  const sent = async (step: string) => {
    await post('/v1/pass/offer/messaged', {});
    const { body } = await post('/v1/pass/offer/messaged/messages');
    return post(`/v1/messages/${body.id}/${step}`, {});
  };
  const missing = 'there is no such message';
  const ended = (operation: string, step: string): ErrorCase[] => [
    [operation, '404 not_found', missing, () => post(`/v1/messages/none/${step}`, {})],
    [operation, '409 invalid_transition', 'the message is sent', () => sent(step)],
  ];
  return [
    [
      'createPassMessage',
      '400 validation_failed',
      'the text is missing',
      () => post('/v1/pass/offer/none/messages', {}),
    ],
    ['createPassMessage', '404 template_not_found', 'there is no template', () => post('/v1/pass/none/none/messages')],
    ['createPassMessage', '404 pass_not_found', 'there is no such pass', () => post('/v1/pass/offer/none/messages')],
    [
      'listPassMessages',
      '400 validation_failed',
      'the limit is over 100',
      () => account().get('/v1/pass/offer/a/messages?limit=101'),
    ],
    [
      'listPassMessages',
      '404 pass_not_found',
      'there is no such pass',
      () => account().get('/v1/pass/offer/none/messages'),
    ],
    [
      'createTemplateMessage',
      '400 validation_failed',
      'the times of the filter are reversed',
      () =>
        post('/v1/templates/offer/messages', {
          ...message,
          filter: { expiresFrom: '2027-01-01T00:00:00Z', expiresBefore: '2026-01-01T00:00:00Z' },
        }),
    ],
    [
      'createTemplateMessage',
      '404 template_not_found',
      'there is no template',
      () => post('/v1/templates/none/messages'),
    ],
    [
      'dryRunTemplateMessage',
      '400 validation_failed',
      'a state is unknown',
      () => post('/v1/templates/offer/messages/dry-run', { ...message, filter: { states: ['lost'] } }),
    ],
    [
      'dryRunTemplateMessage',
      '404 template_not_found',
      'there is no template',
      () => post('/v1/templates/none/messages/dry-run'),
    ],
    ['listMessages', '400 validation_failed', 'the status is unknown', () => account().get('/v1/messages?status=lost')],
    [
      'putMessageSettings',
      '400 validation_failed',
      'there is no such time zone',
      () => put('/v1/account/messages', { timeZone: 'Mars/Olympus' }),
    ],
    ['getMessage', '404 not_found', missing, () => account().get('/v1/messages/none')],
    [
      'listMessageRecipients',
      '400 validation_failed',
      'the limit is over 100',
      () => account().get('/v1/messages/none/recipients?limit=101'),
    ],
    ['listMessageRecipients', '404 not_found', missing, () => account().get('/v1/messages/none/recipients')],
    ...ended('pauseMessage', 'pause'),
    ...ended('resumeMessage', 'resume'),
    ...ended('cancelMessage', 'cancel'),
  ];
}
