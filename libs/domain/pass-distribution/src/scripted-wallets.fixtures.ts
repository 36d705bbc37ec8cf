import { randomUUID } from 'node:crypto';
import {
  ApplePush,
  type GoogleResult,
  type GoogleCallback,
  type GoogleIdentity,
  type GoogleResource,
  type GoogleUrgency,
  GoogleWallet,
  type PushResult,
  type SaveLinkPayload,
} from '@passwright/core';

/** A Google Wallet that stores everything and lists what was written. */
export class ScriptedGoogle extends GoogleWallet {
  private readonly writes: { accountId: string; part: string; urgency: GoogleUrgency }[] = [];

  identity(_accountId: string): Promise<GoogleIdentity> {
    const clientEmail = 'passes@project.iam.gserviceaccount.com';
    return Promise.resolve({ issuerId: '3388000000022222222', clientEmail, fingerprint: 'f1', development: false });
  }

  write(accountId: string, { part }: GoogleResource, urgency: GoogleUrgency): Promise<GoogleResult> {
    this.writes.push({ accountId, part, urgency });
    const stored = { outcome: 'stored', status: 200, reason: null, retryAfterSeconds: null, hasUsers: false } as const;
    return Promise.resolve(stored);
  }

  saveLink(_accountId: string, payload: SaveLinkPayload): Promise<string> {
    const token = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return Promise.resolve(`https://pay.google.com/gp/v/save/${token}`);
  }

  readCallback(): Promise<GoogleCallback> {
    throw new Error('No callback is scripted');
  }

  check(): Promise<string | null> {
    return Promise.resolve(null);
  }

  /** Returns the writes for an account in order: `class` or `object`, with their urgency. */
  writesOf(accountId: string): string[] {
    return this.writes
      .filter((write) => write.accountId === accountId)
      .map(({ part, urgency }) => `${part} ${urgency}`);
  }
}

/** A push service that accepts everything. */
export class AcceptingPush extends ApplePush {
  pushAll(_accountId: string, pushTokens: readonly string[]): Promise<PushResult[]> {
    const accepted = {
      outcome: 'accepted',
      status: 200,
      reason: null,
      goneSince: null,
      retryAfterSeconds: null,
    } as const;
    return Promise.resolve(pushTokens.map(() => ({ ...accepted, pushId: randomUUID() })));
  }
}
