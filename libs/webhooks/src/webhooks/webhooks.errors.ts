import { appError } from '@passwright/core';

/** 404: the account has no webhook of this id. */
export class WebhookNotFound extends appError(404, 'not_found') {
  constructor(webhookId: string) {
    super(`There is no webhook "${webhookId.slice(0, 64)}"; GET /v1/webhooks lists those there are.`);
  }
}
