import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Signer, WalletUnavailable, type SigningIdentity } from '@passwright/core';

/** An id that belongs to no account, so no certificate is stored under it. */
const nobody = '';

/** The operator's certificate, for accounts without their own. */
export interface OperatorCertificate {
  /** The last known identity; null if the certificate has been unusable since the start. */
  readonly identity: SigningIdentity | null;
  /** Why the certificate is unusable now. */
  readonly problem: string | null;
}

/** Remembers the operator's certificate, even after it has expired. */
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
