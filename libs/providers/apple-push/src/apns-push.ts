import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  type AppleCredential,
  AppleCredentials,
  ApplePush,
  type Clock,
  counted,
  inSpan,
  loggedError,
  type PushResult,
  WalletUnavailable,
} from '@passwright/core';
import { type ApnsLimits, apnsLimits } from './apns-limits.js';
import type { ApplePushOptions } from './apple-push.options.js';
import { ApnsSender, type PushService } from './apns-sender.js';
import { withoutResponse } from './push-result.js';

const APPLE_URL = 'https://api.push.apple.com';
/**
 * The maximum number of accounts whose last certificate is remembered, so that its connection can be closed after a
 * change.
 */
const MAX_REMEMBERED_ACCOUNTS = 10_000;

/** Pushes over HTTP/2, authenticated with the pass certificate. Keeps one long-lived connection per certificate. */
export class ApnsPush extends ApplePush implements OnApplicationShutdown {
  private readonly logger = new Logger('ApplePush');
  private readonly service: PushService;
  private readonly limits: ApnsLimits;
  /** Senders by certificate fingerprint, least recently used first. */
  private readonly senders = new Map<string, ApnsSender>();
  private readonly retiring = new Set<ApnsSender>();
  private readonly fingerprints = new Map<string, string>();
  private last: { readonly fingerprint: string; readonly sender: ApnsSender } | null = null;
  private closed = false;

  /** @param limits overrides of the default limits, for tests */
  constructor(
    private readonly options: ApplePushOptions,
    private readonly credentials: AppleCredentials,
    private readonly clock: Clock,
    limits: Partial<ApnsLimits> = {},
  ) {
    super();
    this.service = { url: new URL(options.url ?? APPLE_URL), ca: options.ca };
    this.limits = { ...apnsLimits, ...limits };
  }

  override pushAll(accountId: string, pushTokens: readonly string[]): Promise<readonly (PushResult | null)[]> {
    const attributes = { 'server.address': this.service.url.hostname, 'passwright.pushes': pushTokens.length };
    return inSpan('push', attributes, async (span) => {
      const sender = await this.senderFor(accountId);
      const results = sender instanceof ApnsSender ? await sender.pushAll(pushTokens) : toAll(pushTokens, sender);
      for (const result of results) if (result) counted('apple_pushes', { outcome: result.outcome });
      const accepted = results.filter((result) => result?.outcome === 'accepted').length;
      span?.setAttribute('passwright.pushes_accepted', accepted);
      return results;
    });
  }

  /** Gives open pushes a few seconds to finish. */
  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    const senders = [...this.senders.values(), ...this.retiring];
    this.senders.clear();
    await Promise.all(senders.map((sender) => sender.close()));
  }

  /** Returns the sender of an account, or the common result of its pushes if the account cannot push. */
  private async senderFor(accountId: string): Promise<ApnsSender | PushResult> {
    let credential: AppleCredential;
    try {
      credential = await this.credentials.of(accountId);
    } catch (error) {
      if (error instanceof WalletUnavailable) return withoutResponse('credential_rejected', error.message);
      this.logger.error({ err: loggedError(error) });
      return withoutResponse('retry', 'The certificate could not be looked up.');
    }
    if (credential.development && this.options.url === null) {
      return withoutResponse('off', 'The certificate is a development one, which Apple does not know.');
    }
    if (this.closed) return withoutResponse('retry', 'The service is stopping.');
    return this.senderOf(accountId, credential);
  }

  private senderOf(accountId: string, credential: AppleCredential): ApnsSender {
    const { fingerprint } = credential;
    if (this.fingerprints.get(accountId) !== fingerprint) this.remember(accountId, fingerprint);
    if (this.last?.fingerprint === fingerprint) return this.last.sender;
    const sender = this.senders.get(fingerprint) ?? this.newSender(credential);
    this.senders.delete(fingerprint);
    this.senders.set(fingerprint, sender);
    this.last = { fingerprint, sender };
    const [oldest] = this.senders.keys();
    if (this.senders.size > this.limits.maxSessions && oldest !== undefined) this.retire(oldest);
    return sender;
  }

  private newSender(credential: AppleCredential): ApnsSender {
    const { passTypeIdentifier, fingerprint } = credential;
    return new ApnsSender(credential, this.service, this.clock, this.limits, ({ outcome, reason }) =>
      this.logger.warn(`${passTypeIdentifier} (${fingerprint.slice(0, 16)}): ${outcome}. ${reason}`),
    );
  }

  /** Remembers the account's certificate. Closes the connection of its former certificate if no account uses it now. */
  private remember(accountId: string, fingerprint: string): void {
    const former = this.fingerprints.get(accountId);
    this.fingerprints.set(accountId, fingerprint);
    const [oldest] = this.fingerprints.keys();
    if (this.fingerprints.size > MAX_REMEMBERED_ACCOUNTS && oldest !== undefined) this.fingerprints.delete(oldest);
    if (former !== undefined && ![...this.fingerprints.values()].includes(former)) this.retire(former);
  }

  private retire(fingerprint: string): void {
    const sender = this.senders.get(fingerprint);
    if (!sender) return;
    this.senders.delete(fingerprint);
    if (this.last?.fingerprint === fingerprint) this.last = null;
    this.retiring.add(sender);
    void sender.retire().then(() => this.retiring.delete(sender));
  }
}

function toAll(pushTokens: readonly string[], result: PushResult): (PushResult | null)[] {
  return pushTokens.map((_, index) => (index > 0 && result.outcome === 'credential_rejected' ? null : result));
}
