import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';

/**
 * Lists the keys that encrypt the personal data of accounts, so that they can be re-encrypted with a new master key.
 */
@Injectable()
@Listens(StoredSecretsListener)
export class EncryptionKeysListener extends StoredSecretsListener {
  override readonly columns = [
    { purpose: 'encryption-key', table: 'encryption_key', column: 'wrapped', idColumn: 'id' },
  ];
}
