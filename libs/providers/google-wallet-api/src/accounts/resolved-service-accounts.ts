import {
  type AccountServiceAccounts,
  type GoogleServiceAccount,
  RecentEntries,
  type TestAccounts,
  WalletUnavailable,
} from '@passwright/core';
import { googleUrls, type GoogleWalletApiOptions } from '../google-wallet.options.js';
import { loadDevelopmentServiceAccount } from './development-service-account.js';
import { type GoogleCredential, toCredential } from './google-credential.js';

/** The number of accounts whose parsed keys are cached. Parsing a key again takes less than a millisecond. */
const MAX_PARSED = 1000;

interface Parsed {
  readonly account: GoogleServiceAccount;
  readonly credential: GoogleCredential;
}

/**
 * Finds the service account to use: the account's own, else the operator's, else a development one. Test accounts
 * always use the development one. Parses each service account only once.
 */
export class ResolvedServiceAccounts {
  private readonly operators: GoogleCredential | null;
  private development: Promise<GoogleCredential> | null = null;
  /** Credentials by private key. */
  private readonly parsed = new RecentEntries<string, Parsed>(MAX_PARSED);
  private readonly tokenUrl: string;

  /** @throws Error that lists everything that is wrong with the operator's service account */
  constructor(
    private readonly options: Pick<GoogleWalletApiOptions, 'serviceAccount' | 'testServiceAccount' | 'tokenUrl'>,
    private readonly accounts: AccountServiceAccounts | null = null,
    private readonly testAccounts: TestAccounts | null = null,
  ) {
    const { serviceAccount, tokenUrl } = options;
    this.tokenUrl = tokenUrl ?? googleUrls.tokenUrl;
    this.operators =
      serviceAccount.kind === 'operator'
        ? toCredential(serviceAccount, tokenUrl ?? serviceAccount.tokenUri ?? this.tokenUrl)
        : null;
  }

  /** Returns the account's credential. @throws WalletUnavailable when the credential cannot be used */
  async of(accountId: string): Promise<GoogleCredential> {
    if (await this.testAccounts?.has(accountId)) return this.developmentOne();
    const own = this.accounts && (await this.accounts.find(accountId));
    if (own) return this.ownOf(own);
    return this.operators ?? this.developmentOne();
  }

  /** Checks a service account that an account uploads. @throws Error that lists everything that is wrong */
  parse(account: GoogleServiceAccount): GoogleCredential {
    // Only the operator chooses the token address, so that an upload cannot make the service call another address.
    return toCredential(account, this.tokenUrl);
  }

  private ownOf(account: GoogleServiceAccount): GoogleCredential {
    const known = this.parsed.get(account.privateKeyPem);
    if (known && isSame(known.account, account)) return known.credential;
    const credential = this.parseOwn(account);
    this.parsed.set(account.privateKeyPem, { account, credential });
    return credential;
  }

  /** Parses a stored service account, which was checked at its upload. */
  private parseOwn(account: GoogleServiceAccount): GoogleCredential {
    try {
      return this.parse(account);
    } catch (error) {
      throw new WalletUnavailable(
        `The account's Google service account cannot be used; hand it in again. ${(error as Error).message}`,
      );
    }
  }

  private developmentOne(): Promise<GoogleCredential> {
    this.development ??= this.loadDevelopment().catch((error: unknown) => {
      this.development = null;
      throw error;
    });
    return this.development;
  }

  private async loadDevelopment(): Promise<GoogleCredential> {
    const { serviceAccount, testServiceAccount } = this.options;
    const found = serviceAccount.kind === 'development' ? serviceAccount : testServiceAccount;
    if (!found) throw new WalletUnavailable('This service has no development service account for test accounts.');
    return toCredential(await loadDevelopmentServiceAccount(found.dir), this.tokenUrl, true);
  }
}

function isSame(one: GoogleServiceAccount, other: GoogleServiceAccount): boolean {
  return one === other || (one.issuerId === other.issuerId && one.clientEmail === other.clientEmail);
}
