import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Signer, TestAccounts, WalletUnavailable, type SigningIdentity } from '@passwright/core';

/** An account id that does not exist, so that a look-up returns the operator's certificate. */
const nobody = '';

/** The operator's certificate, for accounts without their own. */
export interface OperatorCertificate {
  /** The last known identity; null if the certificate has been unusable since the start. */
  readonly identity: SigningIdentity | null;
  /** The reason why the certificate is unusable now; null if it is usable. */
  readonly problem: string | null;
}

/** Finds the operator's certificate. Remembers its properties even after it has expired. */
@Injectable()
export class OperatorIdentityService implements OnApplicationBootstrap {
  private last: SigningIdentity | null = null;

  constructor(
    private readonly signer: Signer,
    private readonly testAccounts: TestAccounts,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.current();
  }

  async current(): Promise<OperatorCertificate> {
    const { identity, problem } = await this.read(nobody);
    this.last = identity ?? this.last;
    return { identity: this.last, problem };
  }

  /**
   * Returns the operator's certificate for an account without its own; for a test account, the development certificate.
   */
  async of(accountId: string): Promise<OperatorCertificate> {
    return (await this.testAccounts.has(accountId)) ? this.read(accountId) : this.current();
  }

  private async read(accountId: string): Promise<OperatorCertificate> {
    try {
      return { identity: await this.signer.identity(accountId), problem: null };
    } catch (error) {
      if (!(error instanceof WalletUnavailable)) throw error;
      return { identity: null, problem: error.message };
    }
  }
}
