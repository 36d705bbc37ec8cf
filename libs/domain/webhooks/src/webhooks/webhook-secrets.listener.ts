import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';

/** Announces the secrets that webhooks sign with. */
@Injectable()
@Listens(StoredSecretsListener)
export class WebhookSecretsListener extends StoredSecretsListener {
  override readonly columns = [
    { purpose: 'webhook-secret', table: 'webhook', column: 'secret', idColumn: 'id' },
    { purpose: 'webhook-secret', table: 'webhook', column: 'previous_secret', idColumn: 'id' },
  ];
}
