import type { KeyObject } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { type Clock, loggedError, WalletUnavailable, withoutSlot } from '@passwright/core';
import { exchange, type HttpResponse } from '../api/http-exchange.js';
import { jsonObject, oneLine } from '../api/google-responses.js';
import type { GoogleLimits } from '../google-limits.js';
import { millisOf } from './callback-envelope.js';
import { parsePublicKey, PROTOCOL } from './signed-message.js';

const HOUR_MS = 60 * 60 * 1000;
/** The minimum time between two fetches, so that no client can cause many requests to Google. */
const LEAST_BETWEEN_FETCHES_MS = 60 * 1000;
const MAX_KEYS = 20;

interface RootKey {
  readonly key: KeyObject;
  readonly expiresAtMs: number;
}
interface Fetched {
  readonly keys: readonly RootKey[];
  readonly atMs: number;
}

/**
 * Google's public root keys, which verify the keys that sign callbacks. Caches them for at most an hour and shares one
 * fetch between all callers.
 */
export class RootKeys {
  private readonly logger = new Logger('GoogleWallet');
  private fetched: Fetched | null = null;
  private pending: Promise<void> | null = null;
  private lastTryMs = -Infinity;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
    private readonly limits: GoogleLimits,
  ) {}

  /** Returns the valid keys. @throws WalletUnavailable when Google's keys are unavailable */
  async current(): Promise<readonly KeyObject[]> {
    if (!this.isFresh()) await this.fetch();
    return this.usable();
  }

  /**
   * Fetches the keys again, because Google may have changed them, and returns the valid ones. Fetches at most once a
   * minute.
   */
  async renewed(): Promise<readonly KeyObject[]> {
    await this.fetch();
    return this.usable();
  }

  private usable(): readonly KeyObject[] {
    const now = this.now();
    const { keys, atMs } = this.fetched ?? { keys: [], atMs: -Infinity };
    const usable = keys.filter(({ expiresAtMs }) => expiresAtMs > now);
    if (usable.length > 0 && now - atMs < HOUR_MS) return usable.map(({ key }) => key);
    const found = "Google's keys, which prove its callbacks, are unavailable now; send it again later.";
    throw new WalletUnavailable(found, LEAST_BETWEEN_FETCHES_MS / 1000);
  }

  /** Returns false in the last hour before a key expires, because Google may already use another key. */
  private isFresh(): boolean {
    if (!this.fetched) return false;
    const { keys, atMs } = this.fetched;
    const firstEndMs = Math.min(...keys.map(({ expiresAtMs }) => expiresAtMs));
    return this.now() < Math.min(atMs + HOUR_MS, firstEndMs - HOUR_MS);
  }

  private async fetch(): Promise<void> {
    const now = this.now();
    if (!this.pending && now - this.lastTryMs >= LEAST_BETWEEN_FETCHES_MS) {
      this.lastTryMs = now;
      this.pending = this.ask(now).finally(() => (this.pending = null));
    }
    const { pending } = this;
    if (pending) await withoutSlot(() => pending);
  }

  private async ask(now: number): Promise<void> {
    try {
      const { requestTimeoutMs: timeoutMs, responseBytes } = this.limits;
      const result = await exchange({ method: 'GET', url: this.url }, { timeoutMs, responseBytes });
      const keys = readKeys(result);
      if (keys.length === 0) throw new Error(`status ${result.status} without a key for ${PROTOCOL}`);
      this.fetched = { keys, atMs: now };
    } catch (error) {
      this.logger.warn(`Google's keys for callbacks are unavailable: ${oneLine(loggedError(error).message)}.`);
    }
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function readKeys({ status, text }: HttpResponse): RootKey[] {
  const keys = status === 200 ? jsonObject(text)?.keys : null;
  if (!Array.isArray(keys)) return [];
  return keys.slice(0, MAX_KEYS).flatMap((item: unknown) => {
    const { keyValue, protocolVersion, keyExpiration } = (item ?? {}) as Record<string, unknown>;
    if (protocolVersion !== PROTOCOL || typeof keyValue !== 'string') return [];
    const key = parsePublicKey(keyValue);
    const expiresAtMs = keyExpiration === undefined ? Infinity : millisOf(keyExpiration);
    return key && expiresAtMs !== null ? [{ key, expiresAtMs }] : [];
  });
}
