/** What Google calls the kinds of passes: an offer, an event ticket, a generic pass, a loyalty membership. */
export type GoogleVertical = 'offer' | 'eventTicket' | 'generic' | 'loyalty';

/** A service account of Google Cloud that may write passes for an issuer. */
export interface GoogleServiceAccount {
  /** 10 to 20 digits, as text: it exceeds what a number holds. */
  readonly issuerId: string;
  readonly clientEmail: string;
  /** RSA, PKCS#8. */
  readonly privateKeyPem: string;
  readonly privateKeyId?: string;
}

/** The service accounts that accounts have brought themselves. */
export abstract class AccountServiceAccounts {
  /** The same object as long as it is the same credential. @returns null when the account has none */
  abstract find(accountId: string): Promise<GoogleServiceAccount | null>;
}

/** Under whose name an account's passes are at Google Wallet. */
export interface GoogleIdentity {
  readonly issuerId: string;
  readonly clientEmail: string;
  /** Names the credential among all: another key, another name. */
  readonly fingerprint: string;
  /** True when Google does not know the issuer: nothing is written there, and links are for looking at. */
  readonly development: boolean;
}

/** What the holders of an object are told once: Google Wallet shows a notification, and the message on the pass. */
export interface GoogleMessage {
  /** Unlike that of every other message of the object: one that is sent again under its id notifies nobody again. */
  readonly id: string;
  readonly header: string;
  readonly body: string;
}

/** A class or an object as it should be at Google. */
export interface GoogleResource {
  readonly vertical: GoogleVertical;
  readonly part: 'class' | 'object';
  /** With its `id`, complete. */
  readonly body: { readonly id: string } & Readonly<Record<string, unknown>>;
  /** The properties that we write of such a resource: those that `body` lacks are cleared. */
  readonly owned: readonly string[];
  /** Whether it is known to be at Google already, so that it is changed first and created only when it is not there. */
  readonly exists: boolean;
  /** True when a change in parts could leave an old part standing: then the whole is replaced. */
  readonly replace?: boolean;
  /** To be added once the rest is stored; it takes the place of the one before. */
  readonly message?: GoogleMessage;
}

/**
 * How a write ended.
 * - `stored`: it is at Google as asked
 * - `no_class`: an object whose class is not there
 * - `refused`: at fault is this resource; the same again would end the same way
 * - `halted`: the credential is at fault; every other write with it would end the same way
 * - `retry`: a passing fault; not before `retryAfterSeconds` when set
 * - `off`: nothing was sent, as the credential is a development one
 */
export type GoogleOutcome = 'stored' | 'no_class' | 'refused' | 'halted' | 'retry' | 'off';

export interface GoogleAnswer {
  readonly outcome: GoogleOutcome;
  /** Google's status; null when it did not answer. */
  readonly status: number | null;
  /** Google's reason (`permissionDenied`) and message, or what went wrong in words; null when stored. */
  readonly reason: string | null;
  readonly retryAfterSeconds: number | null;
  /** Whether anyone holds the object in a wallet, as far as the answer says. */
  readonly hasUsers: boolean | null;
}

/** What a save link adds: references (or, for a development link, whole resources) by the JWT's names (`offerObjects`). */
export type SaveLinkPayload = Readonly<Record<string, readonly object[]>>;

/** A holder has saved an object, or removed it. */
export interface GoogleCallback {
  readonly event: 'save' | 'del';
  readonly classId: string;
  readonly objectId: string;
  /** Unlike that of every other callback, but for repetitions of this one. */
  readonly nonce: string;
  readonly expiresAt: Date;
}

/** Whether somebody waits for a request: those come first. */
export type GoogleUrgency = 'holder' | 'background';

/** Google Wallet: its REST API, its save links and its callbacks. */
export abstract class GoogleWallet {
  /** The credential of an account: its own, else the operator's, else a development one. @throws WalletUnavailable when it cannot be used */
  abstract identity(accountId: string): Promise<GoogleIdentity>;

  /**
   * Brings a resource to what it should be; never rejects. Each request takes its turn in the quota. It ends within
   * 45 seconds for `background` and 25 seconds for `holder`, retries included.
   */
  abstract write(accountId: string, resource: GoogleResource, urgency: GoogleUrgency): Promise<GoogleAnswer>;

  /** A signed save link. @throws WalletUnavailable when the credential cannot be used */
  abstract saveLink(accountId: string, payload: SaveLinkPayload): Promise<string>;

  /**
   * Reads a callback's body as it was received, and proves that Google sent it.
   * @throws ValidationFailed when it is no callback. @throws Unauthorized when it is not Google's, or no longer valid
   */
  abstract readCallback(body: Uint8Array): Promise<GoogleCallback>;

  /** Tries a credential without writing anything. @returns null when it works, else what is wrong, in words */
  abstract check(serviceAccount: GoogleServiceAccount): Promise<string | null>;
}

/** Google's quota, shared by all nodes: one request at a time is let through. */
export abstract class GoogleQuota {
  /** Waits for the next turn. @throws WalletUnavailable when that is further off than `maxWaitMs` */
  abstract take(issuerId: string, urgency: GoogleUrgency, maxWaitMs: number): Promise<void>;
}
