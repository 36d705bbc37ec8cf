import type { ErrorCase } from './device-error-cases.js';
import type { Account, ApiResponse, RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
  readonly account: () => Account;
}

const stale = { 'If-Match': '"stale.stale"' };
const since = '2026-01-01T00:00:00.000Z';

/** Returns the error cases of webhooks and deliveries. */
export function webhookErrorCases({ service, account }: Driven): ErrorCase[] {
  const post = (path: string, body: object = {}) => account().post(`/v1/webhooks${path}`, body);
  /** Sends a request about a new webhook without an address. */
  const made = (send: (path: string) => Promise<ApiResponse>) => async () => {
    const { body } = await post('', { name: 'Data warehouse' });
    const response = await send(`/${body.id}`);
    await account().delete(`/v1/webhooks/${body.id}`);
    return response;
  };
  const patch = (path: string, body: object, headers?: Record<string, string>) =>
    account().patch(`/v1/webhooks${path}`, body, headers);
  const none = 'there is no such webhook';
  const noAddress = 'the webhook has no address';
  const missing = (id: string, send: () => Promise<ApiResponse>): ErrorCase => [id, '404 not_found', none, send];
  const invalid = (id: string, when: string, send: () => Promise<ApiResponse>): ErrorCase => [
    id,
    '400 validation_failed',
    when,
    send,
  ];
  const unfit = (id: string, send: () => Promise<ApiResponse>): ErrorCase => [
    id,
    '409 invalid_transition',
    noAddress,
    send,
  ];
  return [
    invalid('createWebhook', 'the address is private', () => post('', { url: 'https://192.168.0.1/' })),
    ['createWebhook', '403 limit_exceeded', 'the account has 20 webhooks', () => twentyFirst(service())],
    invalid('listWebhooks', 'the cursor is forged', () => account().get('/v1/webhooks?cursor=x')),
    missing('getWebhook', () => account().get('/v1/webhooks/none')),
    invalid(
      'updateWebhook',
      'a type is unknown',
      made((path) => patch(path, { types: ['pass.lost'] })),
    ),
    missing('updateWebhook', () => patch('/none', {})),
    [
      'updateWebhook',
      '412 precondition_failed',
      'the webhook has changed since',
      made((path) => patch(path, { name: 'CRM' }, stale)),
    ],
    missing('deleteWebhook', () => account().delete('/v1/webhooks/none')),
    [
      'deleteWebhook',
      '412 precondition_failed',
      'the webhook has changed since',
      made((path) => service().request('DELETE', `/v1/webhooks${path}`, { token: account().token, headers: stale })),
    ],
    invalid('rotateWebhookSecret', 'the overlap is over a week', () => post('/none/rotate', { overlapHours: 169 })),
    missing('rotateWebhookSecret', () => post('/none/rotate')),
    [
      'rotateWebhookSecret',
      '412 precondition_failed',
      'the webhook has changed since',
      made((path) => account().post(`/v1/webhooks${path}/rotate`, {}, stale)),
    ],
    missing('testWebhook', () => post('/none/test')),
    unfit(
      'testWebhook',
      made((path) => post(`${path}/test`)),
    ),
    invalid('listWebhookDeliveries', 'the status is unknown', () =>
      account().get('/v1/webhooks/none/deliveries?status=lost'),
    ),
    missing('listWebhookDeliveries', () => account().get('/v1/webhooks/none/deliveries')),
    missing('replayWebhookDelivery', () => post('/none/deliveries/evt_none/replay')),
    unfit(
      'replayWebhookDelivery',
      made((path) => post(`${path}/deliveries/evt_none/replay`)),
    ),
    invalid('replayWebhookDeliveries', 'the period has no beginning', () => post('/none/replay')),
    missing('replayWebhookDeliveries', () => post('/none/replay', { since })),
    unfit(
      'replayWebhookDeliveries',
      made((path) => post(`${path}/replay`, { since })),
    ),
  ];
}

async function twentyFirst(service: RunningService): Promise<ApiResponse> {
  const full = await service.register();
  for (let count = 0; count < 20; count++) await full.post('/v1/webhooks');
  return full.post('/v1/webhooks');
}
