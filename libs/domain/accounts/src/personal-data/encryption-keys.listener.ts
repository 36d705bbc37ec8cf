import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';

/** Lists the keys of accounts, under which personal data is encrypted, for re-encryption. */
@Injectable()
@Listens(StoredSecretsListener)
export class EncryptionKeysListener extends StoredSecretsListener {
  override readonly columns = [
    { purpose: 'encryption-key', table: 'encryption_key', column: 'wrapped', idColumn: 'id' },
  ];
}
