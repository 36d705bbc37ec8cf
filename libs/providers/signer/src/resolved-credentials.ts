import {
  type AccountCertificates,
  type AppleCredential,
  AppleCredentials,
  type ApplePem,
  type Clock,
  RecentEntries,
  WalletUnavailable,
} from '@passwright/core/plain';
import { toCredential } from './apple-credential.js';
import { validity } from './certificate-problems.js';
import { loadDevelopmentChain } from './development-chain.js';
import type { SignerOptions } from './signer.options.js';
import { loadSigningMaterial } from './signing-material.js';

/** The number of accounts whose certificates stay parsed, about 30 KB each. Parsing a certificate takes about 2 ms. */
const MAX_PARSED = 1000;

/** A parsed credential, with the PEM from which it was parsed and the dates to check at each use. */
interface Parsed {
  readonly pem: ApplePem;
  readonly credential: AppleCredential;
  readonly valid: { readonly from: Date; readonly to: Date };
}

/** Finds the certificate to use: the account's own, or else the operator's. Parses and checks each only once. */
export class ResolvedCredentials extends AppleCredentials {
  private readonly operators: Parsed;
  /** Credentials by certificate PEM. */
  private readonly parsed = new RecentEntries<string, Parsed>(MAX_PARSED);

  /** @throws Error that lists everything wrong with the operator's certificate, except expiry */
  constructor(
    operators: ApplePem,
    private readonly clock: Clock,
    private readonly accounts: AccountCertificates | null = null,
  ) {
    super();
    this.operators = parse(operators);
  }

  /**
   * Loads the operator's certificate or creates the development chain. @throws Error in the same cases as the
   * constructor
   */
  static async load(
    { identity }: SignerOptions,
    clock: Clock,
    accounts?: AccountCertificates | null,
  ): Promise<ResolvedCredentials> {
    const pem = identity.kind === 'development' ? await loadDevelopmentChain(identity, clock.now()) : identity;
    return new ResolvedCredentials(pem, clock, accounts);
  }

  override async of(accountId: string): Promise<AppleCredential> {
    const own = this.accounts && (await this.accounts.find(accountId));
    const { credential, valid } = own ? this.ownOf(own) : this.operators;
    const now = this.clock.now();
    if (valid.from <= now && now <= valid.to) return credential;
    throw outOfDate(credential, valid, now, own ? "account's" : "operator's");
  }

  private ownOf(pem: ApplePem): Parsed {
    const key = pem.certificatePem;
    const known = this.parsed.get(key);
    const current = known && isSame(known.pem, pem) ? known : parseOwn(pem);
    this.parsed.set(key, current);
    return current;
  }
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

/**
 * Returns an error if the chain is outside its dates. Phones check the dates at the signing time, so a pass signed now
 * would never open.
 */
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
