import {
  type AccountCertificates,
  type AppleCredential,
  AppleCredentials,
  type ApplePem,
  type Clock,
  RecentEntries,
  type TestAccounts,
  WalletUnavailable,
} from '@passwright/core/plain';
import { toCredential } from './apple-credential.js';
import { validity } from './certificate-problems.js';
import { loadDevelopmentChain } from './development-chain.js';
import type { DevelopmentIdentity, SignerOptions } from './signer.options.js';
import { loadSigningMaterial } from './signing-material.js';

/** The number of accounts whose parsed certificates are cached, about 30 KB each. Parsing takes about 2 ms. */
const MAX_PARSED = 1000;

/** A parsed credential, with its original PEM and the dates to check at each use. */
interface Parsed {
  readonly pem: ApplePem;
  readonly credential: AppleCredential;
  readonly valid: { readonly from: Date; readonly to: Date };
}

/** Test accounts, and the chain that signs their passes. */
export interface TestCredentials {
  readonly accounts: TestAccounts;
  /** Loads the chain. Called at first use, and again after a failure. @throws WalletUnavailable */
  readonly load: () => Promise<ApplePem>;
}

/**
 * Finds the certificate to use. A test account uses the development chain. Any other account uses its own certificate,
 * or the operator's if it has none. Parses and checks each certificate only once.
 */
export class ResolvedCredentials extends AppleCredentials {
  private readonly operators: Parsed;
  private ofTests: Promise<Parsed> | null = null;
  /** Credentials by certificate PEM. */
  private readonly parsed = new RecentEntries<string, Parsed>(MAX_PARSED);

  /** @throws Error that lists everything wrong with the operator's certificate, except expiry */
  constructor(
    operators: ApplePem,
    private readonly clock: Clock,
    private readonly accounts: AccountCertificates | null = null,
    private readonly tests: TestCredentials | null = null,
  ) {
    super();
    this.operators = parse(operators);
  }

  /**
   * Loads the operator's certificate or creates the development chain. @throws Error in the same cases as the
   * constructor
   */
  static async load(
    { identity, testIdentity }: SignerOptions,
    clock: Clock,
    accounts?: AccountCertificates | null,
    testAccounts?: TestAccounts | null,
  ): Promise<ResolvedCredentials> {
    if (identity.kind === 'development') {
      // The development chain signs for every account without its own certificate, and therefore also for test
      // accounts.
      return new ResolvedCredentials(await loadDevelopmentChain(identity, clock.now()), clock, accounts);
    }
    const load = () => loadTestChain(testIdentity, clock.now());
    return new ResolvedCredentials(identity, clock, accounts, testAccounts ? { accounts: testAccounts, load } : null);
  }

  override async of(accountId: string): Promise<AppleCredential> {
    if (this.tests && (await this.tests.accounts.has(accountId))) return (await this.testsOf(this.tests)).credential;
    const own = this.accounts && (await this.accounts.find(accountId));
    const { credential, valid } = own ? this.ownOf(own) : this.operators;
    const now = this.clock.now();
    if (valid.from <= now && now <= valid.to) return credential;
    throw outOfDate(credential, valid, now, own ? "account's" : "operator's");
  }

  private testsOf({ load }: TestCredentials): Promise<Parsed> {
    this.ofTests ??= load()
      .then(parse)
      .catch((error: unknown) => {
        this.ofTests = null;
        throw error;
      });
    return this.ofTests;
  }

  private ownOf(pem: ApplePem): Parsed {
    const key = pem.certificatePem;
    const known = this.parsed.get(key);
    const current = known && isSame(known.pem, pem) ? known : parseOwn(pem);
    this.parsed.set(key, current);
    return current;
  }
}

async function loadTestChain(identity: DevelopmentIdentity | undefined, now: Date): Promise<ApplePem> {
  if (!identity) throw new WalletUnavailable('This service has no development chain, which signs for test accounts.');
  return loadDevelopmentChain(identity, now).catch((error: unknown) => {
    throw new WalletUnavailable(`The development chain, which signs for test accounts, failed. ${String(error)}`);
  });
}

function parse(pem: ApplePem): Parsed {
  const material = loadSigningMaterial(pem);
  return {
    pem,
    credential: toCredential(material),
    valid: validity(material.certificate, material.intermediate),
  };
}

/** Parses a stored certificate, which was checked at its upload. */
function parseOwn(pem: ApplePem): Parsed {
  try {
    return parse(pem);
  } catch (error) {
    throw new WalletUnavailable(
      `The account's Apple Wallet certificate cannot be used; hand it in again. ${(error as Error).message}`,
    );
  }
}

function isSame(one: ApplePem, other: ApplePem): boolean {
  return (
    one.privateKeyPem === other.privateKeyPem &&
    one.intermediatePem === other.intermediatePem &&
    one.passphrase === other.passphrase
  );
}

/** Returns an error if the chain is not valid now, because a pass signed now would never open on phones. */
function outOfDate(
  { passTypeIdentifier }: AppleCredential,
  { from, to }: Parsed['valid'],
  now: Date,
  whose: "account's" | "operator's",
): WalletUnavailable {
  const renewer = whose === "account's" ? 'hand in a renewed one' : 'the operator has to renew it';
  return new WalletUnavailable(
    `The ${whose} Apple Wallet certificate of "${passTypeIdentifier}" is valid from ${from.toISOString()} ` +
      `to ${to.toISOString()} only${now < from ? ', and that time has not begun' : `; ${renewer}`}.`,
  );
}
