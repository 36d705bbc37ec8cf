import { randomUUID } from 'node:crypto';
import {
  type GoogleResult,
  type GoogleCallback,
  type GoogleIdentity,
  type GoogleResource,
  type GoogleUrgency,
  GoogleWallet,
  type SaveLinkPayload,
} from '@passwright/core';

const stored: GoogleResult = {
  outcome: 'stored',
  status: 200,
  reason: null,
  retryAfterSeconds: null,
  hasUsers: false,
};

/** A fake Google Wallet that returns scripted results and records every write and the current objects. */
export class ScriptedGoogle extends GoogleWallet {
  issuerId = '3388000000022222222';
  readonly writes: (GoogleResource & { accountId: string; urgency: GoogleUrgency })[] = [];
  /** The last stored body by id. */
  readonly held = new Map<string, GoogleResource['body']>();
  development = false;
  fingerprint: string = randomUUID();
  result: (resource: GoogleResource) => Promise<Partial<GoogleResult>> | Partial<GoogleResult> = () => ({});
  callback: (body: Uint8Array) => GoogleCallback = () => {
    throw new Error('No callback is scripted');
  };

  identity(_accountId: string): Promise<GoogleIdentity> {
    const clientEmail = 'passes@project.iam.gserviceaccount.com';
    return Promise.resolve({
      issuerId: this.issuerId,
      clientEmail,
      fingerprint: this.fingerprint,
      development: this.development,
    });
  }

  async write(accountId: string, resource: GoogleResource, urgency: GoogleUrgency): Promise<GoogleResult> {
    this.writes.push({ ...resource, accountId, urgency });
    if (this.development) return { ...stored, outcome: 'off', status: null };
    const message = resource.message && (resource.message.messageType === 'TEXT' ? 'shown' : 'notified');
    const response: GoogleResult = { ...stored, message, ...(await this.result(resource)) };
    if (response.outcome === 'stored') this.held.set(resource.body.id, resource.body);
    return response;
  }

  saveLink(_accountId: string, payload: SaveLinkPayload): Promise<string> {
    const token = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return Promise.resolve(`https://pay.google.com/gp/v/save/${token}`);
  }

  async readCallback(body: Uint8Array): Promise<GoogleCallback> {
    return Promise.resolve(this.callback(body));
  }

  check(): Promise<string | null> {
    return Promise.resolve(null);
  }

  /** Accepts all writes again and clears the records. */
  reset(): void {
    this.writes.length = 0;
    this.result = () => ({});
    this.development = false;
    this.fingerprint = randomUUID();
  }

  /** Returns the writes for an account in order, each as `class` or `object` with its urgency. */
  writesOf(accountId: string): string[] {
    return this.writes
      .filter((write) => write.accountId === accountId)
      .map(({ part, urgency }) => `${part} ${urgency}`);
  }

  /** Returns the object of the account's pass at Google. */
  objectOf(serialNumber: string): Record<string, unknown> | undefined {
    return this.held.get(`${this.issuerId}.${serialNumber}`);
  }
}
