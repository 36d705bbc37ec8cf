import { appError, InvalidTransition } from '@passwright/core';

/** 404: the account has no webhook with this id. */
export class WebhookNotFound extends appError(404, 'not_found') {
  constructor(webhookId: string) {
    super(`There is no webhook "${webhookId.slice(0, 64)}"; GET /v1/webhooks lists those there are.`);
  }
}

/** 409: the webhook has no address to send to. */
export class NoAddress extends InvalidTransition {
  constructor() {
    super('The webhook has no url, its events are fetched; PATCH gives it one to send them to.');
  }
}
