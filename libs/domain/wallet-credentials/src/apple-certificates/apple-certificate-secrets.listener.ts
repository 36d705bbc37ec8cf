import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';

/** Lists the private keys of certificates and of their requests for re-encryption. */
@Injectable()
@Listens(StoredSecretsListener)
export class AppleCertificateSecretsListener extends StoredSecretsListener {
  override readonly columns = [
    { purpose: 'apple-certificate', table: 'apple_certificate', column: 'private_key', idColumn: null },
    { purpose: 'apple-certificate-request', table: 'apple_certificate_request', column: 'private_key', idColumn: null },
  ];
}
