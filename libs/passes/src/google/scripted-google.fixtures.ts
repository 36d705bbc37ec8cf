import {
  type GoogleAnswer,
  type GoogleCallback,
  type GoogleIdentity,
  type GoogleResource,
  type GoogleUrgency,
  GoogleWallet,
  type SaveLinkPayload,
} from '@passwright/core';

const stored: GoogleAnswer = {
  outcome: 'stored',
  status: 200,
  reason: null,
  retryAfterSeconds: null,
  hasUsers: false,
};

/** Answers as it is told, and keeps what it was asked to write: what Google would hold, and each write. */
export class ScriptedGoogle extends GoogleWallet {
  readonly issuerId = '3388000000022222222';
  readonly writes: (GoogleResource & { accountId: string; urgency: GoogleUrgency })[] = [];
  /** By id: the last body that was stored. */
  readonly held = new Map<string, GoogleResource['body']>();
  development = false;
  answer: (resource: GoogleResource) => Promise<Partial<GoogleAnswer>> | Partial<GoogleAnswer> = () => ({});
  callback: (body: Uint8Array) => GoogleCallback = () => {
    throw new Error('No callback is scripted');
  };

  identity(_accountId: string): Promise<GoogleIdentity> {
    const clientEmail = 'passes@project.iam.gserviceaccount.com';
    return Promise.resolve({
      issuerId: this.issuerId,
      clientEmail,
      fingerprint: 'key-1',
      development: this.development,
    });
  }

  async write(accountId: string, resource: GoogleResource, urgency: GoogleUrgency): Promise<GoogleAnswer> {
    this.writes.push({ ...resource, accountId, urgency });
    const answer = { ...stored, ...(await this.answer(resource)) };
    if (answer.outcome === 'stored') this.held.set(resource.body.id, resource.body);
    return answer;
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

  /** The ids that were written, in their order. */
  get written(): string[] {
    return this.writes.map(({ body }) => body.id);
  }
}
