import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';

/** Lists the private keys of service accounts for re-encryption. */
@Injectable()
@Listens(StoredSecretsListener)
export class ServiceAccountSecretsListener extends StoredSecretsListener {
  override readonly columns = [
    { purpose: 'google-service-account', table: 'google_service_account', column: 'private_key', idColumn: null },
  ];
}
