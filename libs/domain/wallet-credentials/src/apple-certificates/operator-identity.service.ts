import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Signer, WalletUnavailable, type SigningIdentity } from '@passwright/core';

/** No account has this id, so none has brought a certificate under it. */
const nobody = '';

/** What is known of the certificate of accounts that have brought none. */
export interface OperatorCertificate {
  /** As it was last known; null when it has been unusable ever since the start. */
  readonly identity: SigningIdentity | null;
  /** Why it cannot be used now. */
  readonly problem: string | null;
}

/** The operator's certificate, known also once it is out of date. */
@Injectable()
export class OperatorIdentityService implements OnApplicationBootstrap {
  private last: SigningIdentity | null = null;

  constructor(private readonly signer: Signer) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.current();
  }

  async current(): Promise<OperatorCertificate> {
    try {
      this.last = await this.signer.identity(nobody);
      return { identity: this.last, problem: null };
    } catch (error) {
      if (!(error instanceof WalletUnavailable)) throw error;
      return { identity: this.last, problem: error.message };
    }
  }
}
