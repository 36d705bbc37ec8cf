import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';

/** Lists the signing secrets of webhooks for re-encryption. */
@Injectable()
@Listens(StoredSecretsListener)
export class WebhookSecretsListener extends StoredSecretsListener {
  override readonly columns = [
    { purpose: 'webhook-secret', table: 'webhook', column: 'secret', idColumn: 'id' },
    { purpose: 'webhook-secret', table: 'webhook', column: 'previous_secret', idColumn: 'id' },
  ];
}
