import { Logger } from '@nestjs/common';
import {
  type Clock,
  type GoogleResult,
  type GoogleCallback,
  type GoogleIdentity,
  type GoogleOutcome,
  type GoogleQuota,
  type GoogleResource,
  type GoogleServiceAccount,
  type GoogleUrgency,
  GoogleWallet,
  loggedError,
  type SaveLinkPayload,
  WalletUnavailable,
  withoutSlot,
} from '@passwright/core';
import { googleProblems } from '@passwright/google-wallet-schema';
import type { GoogleCredential } from './accounts/google-credential.js';
import type { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
import { AccessTokens } from './api/access-tokens.js';
import { Deadline } from './api/deadline.js';
import { oneLine } from './api/google-responses.js';
import { writeResource } from './api/resource-write.js';
import { WalletApi } from './api/wallet-api.js';
import { CallbackReader } from './callback/callback-reader.js';
import { RootKeys } from './callback/root-keys.js';
import { checkCredential } from './credential-check.js';
import { type GoogleLimits, googleLimits } from './google-limits.js';
import { googleUrls, type GoogleWalletApiOptions } from './google-wallet.options.js';
import { signSaveLink } from './save-link.js';

type Urls = Pick<GoogleWalletApiOptions, keyof typeof googleUrls>;

/** Google Wallet over its REST API. */
export class RestGoogleWallet extends GoogleWallet {
  private readonly logger = new Logger('GoogleWallet');
  private readonly limits: GoogleLimits;
  private readonly saveUrl: string;
  private readonly tokens: AccessTokens;
  private readonly api: WalletApi;
  private readonly callbacks: CallbackReader;

  /** @param limits overrides of the default limits, for tests */
  constructor(
    urls: Urls,
    private readonly accounts: ResolvedServiceAccounts,
    quota: GoogleQuota,
    private readonly clock: Clock,
    limits: Partial<GoogleLimits> = {},
  ) {
    super();
    this.limits = { ...googleLimits, ...limits };
    this.saveUrl = (urls.saveUrl ?? googleUrls.saveUrl).replace(/(?<!\/)\/+$/, '');
    this.tokens = new AccessTokens(clock, this.limits);
    this.api = new WalletApi(urls.apiUrl ?? googleUrls.apiUrl, this.tokens, quota, this.limits);
    const rootKeys = new RootKeys(urls.callbackKeysUrl ?? googleUrls.callbackKeysUrl, clock, this.limits);
    this.callbacks = new CallbackReader(rootKeys, clock);
  }

  override async identity(accountId: string): Promise<GoogleIdentity> {
    return (await this.accounts.of(accountId)).identity;
  }

  override async write(accountId: string, resource: GoogleResource, urgency: GoogleUrgency): Promise<GoogleResult> {
    const deadline = new Deadline(this.limits.writeMs[urgency]);
    try {
      const credential = await deadline.within(this.accounts.of(accountId));
      if (credential.identity.development) {
        return unsent('off', 'The service account is a development one, which Google does not know.');
      }
      const problems = problemsOf(credential, resource);
      if (problems.length > 0) return unsent('rejected', problems.join(' '));
      return await writeResource(this.api, resource, { credential, urgency, deadline });
    } catch (error) {
      if (error instanceof WalletUnavailable) return unsent('credential_rejected', error.message);
      this.logger.error({ err: loggedError(error) });
      return unsent('retry', 'The service account could not be looked up.');
    }
  }

  override async saveLink(accountId: string, payload: SaveLinkPayload): Promise<string> {
    const credential = await this.accounts.of(accountId);
    return signSaveLink(credential, payload, { saveUrl: this.saveUrl, now: this.clock.now() });
  }

  override readCallback(body: Uint8Array): Promise<GoogleCallback> {
    return this.callbacks.read(body);
  }

  override async check(serviceAccount: GoogleServiceAccount): Promise<string | null> {
    let credential: GoogleCredential;
    try {
      credential = this.accounts.parse(serviceAccount);
    } catch (error) {
      return (error as Error).message;
    }
    const deadline = new Deadline(this.limits.writeMs.holder);
    return withoutSlot(() => checkCredential(credential, { api: this.api, tokens: this.tokens, deadline }));
  }
}

/** Returns the errors that Google would find in a resource, without asking Google. */
function problemsOf({ identity }: GoogleCredential, { vertical, part, body }: GoogleResource): string[] {
  const problems = googleProblems(vertical, part, body);
  if (problems.length > 0 || body.id.startsWith(`${identity.issuerId}.`)) return problems;
  return [`$.id ${body.id} is not of the issuer ${identity.issuerId}, whose service account would write it.`];
}

function unsent(outcome: GoogleOutcome, reason: string): GoogleResult {
  return { outcome, status: null, reason: oneLine(reason), retryAfterSeconds: null, hasUsers: null };
}
