/** Google's name for a kind of pass: offer, event ticket, generic pass or loyalty membership. */
export type GoogleVertical = 'offer' | 'eventTicket' | 'generic' | 'loyalty';

/** A service account of Google Cloud that may write passes for an issuer. */
export interface GoogleServiceAccount {
  /** 10 to 20 digits, as text because a number cannot represent them exactly. */
  readonly issuerId: string;
  readonly clientEmail: string;
  /** A PEM-encoded RSA key in PKCS#8 form. */
  readonly privateKeyPem: string;
  readonly privateKeyId?: string;
}

/** The service accounts that accounts have uploaded. */
export abstract class AccountServiceAccounts {
  /**
   * Returns the account's service account, as the same object until the credential changes. @returns null if the
   * account has none
   */
  abstract find(accountId: string): Promise<GoogleServiceAccount | null>;
}

/** The identity under which an account's passes are stored at Google Wallet. */
export interface GoogleIdentity {
  readonly issuerId: string;
  readonly clientEmail: string;
  /** An id of the credential; it changes with the key. */
  readonly fingerprint: string;
  /**
   * True for a development identity, whose issuer Google does not know. Nothing is written to Google, and links serve
   * only for previews.
   */
  readonly development: boolean;
}

/** A message that the holders of an object get once. Google Wallet shows it on the pass. */
export interface GoogleMessage {
  /** Unique among the messages of the object. */
  readonly id: string;
  readonly header: string;
  readonly body: string;
  /** The header and the text in several languages; absent without translations. */
  readonly localizedHeader?: GoogleLocalizedText;
  readonly localizedBody?: GoogleLocalizedText;
}

/** A text in several languages, by BCP 47 tag. Google shows the default to readers of any other language. */
export interface GoogleLocalizedText {
  readonly defaultValue: GoogleTranslatedText;
  readonly translatedValues: readonly GoogleTranslatedText[];
}

interface GoogleTranslatedText {
  readonly language: string;
  readonly value: string;
}

/** A message to add to an object. */
export interface MessageToAdd extends GoogleMessage {
  /** `TEXT_AND_NOTIFY` also shows a notification on the holders' phones, `TEXT` does not. */
  readonly messageType: 'TEXT_AND_NOTIFY' | 'TEXT';
  /**
   * True if an earlier write may have added the message. Then the client reads the object first, because Google would
   * show the same message a second time, with another notification.
   */
  readonly mayExist: boolean;
}

/**
 * The result of adding a message.
 * - `notified`: Google has stored the message and notifies the holders
 * - `shown`: Google has stored the message and notifies no holder
 * - `rejected`: Google rejects this message, and would do so again
 * - `unclear`: Google may have stored the message; write it again with `mayExist`
 */
export type GoogleMessageOutcome = 'notified' | 'shown' | 'rejected' | 'unclear';

/** The desired state of a class or object at Google. */
export interface GoogleResource {
  readonly vertical: GoogleVertical;
  readonly part: 'class' | 'object';
  /** The complete resource, including its `id`. */
  readonly body: { readonly id: string } & Readonly<Record<string, unknown>>;
  /** The properties that Passwright manages. Managed properties that `body` lacks are cleared. */
  readonly owned: readonly string[];
  /**
   * The properties that Passwright manages inside values of `body`, by the name of the value. Managed properties that
   * the value lacks are cleared.
   */
  readonly ownedParts?: Readonly<Record<string, readonly string[]>>;
  /**
   * True if the resource probably exists at Google. The client then updates it, and creates it only if it turns out to
   * be missing.
   */
  readonly exists: boolean;
  /** True if a partial update could leave an old part behind. The client then replaces the whole resource. */
  readonly replace?: boolean;
  /**
   * The message to add after the resource is stored. An object can have ten messages, including those in `body`. If the
   * object has already had three notifications within 24 hours, the message is added without a notification.
   */
  readonly message?: MessageToAdd;
  /**
   * The ids of further messages that an earlier write may have added. If the list is not empty, the client reads the
   * object first. If the object contains some of these messages, the client writes nothing and returns them in `found`:
   * record them, then write again.
   */
  readonly mayHave?: readonly string[];
}

/** A message that an earlier write has added. */
export interface FoundMessage {
  readonly id: string;
  /** True if Google notified the holders. */
  readonly notified: boolean;
}

/**
 * The result of a write.
 * - `stored`: Google has stored the resource
 * - `found`: nothing was written, because the object contains the messages in `found`. A write would replace them with
 *   messages that no longer show whether Google notified the holders.
 * - `no_class`: the class of the object does not exist
 * - `rejected`: this resource is wrong; the same write would fail again
 * - `credential_rejected`: the credential is wrong; every other write with it would fail too
 * - `retry`: a temporary error; wait `retryAfterSeconds` if set
 * - `off`: nothing was sent, because the credential is a development one
 */
export type GoogleOutcome = 'stored' | 'found' | 'no_class' | 'rejected' | 'credential_rejected' | 'retry' | 'off';

export interface GoogleResult {
  readonly outcome: GoogleOutcome;
  /** Google's status; null without a response. */
  readonly status: number | null;
  /** Google's reason (`permissionDenied`) and message, or an explanation; null when stored. */
  readonly reason: string | null;
  readonly retryAfterSeconds: number | null;
  /** True if the response shows that at least one holder has saved the object; null if unknown. */
  readonly hasUsers: boolean | null;
  /** The result of the message; absent if none was sent. */
  readonly message?: GoogleMessageOutcome;
  /** The messages of an earlier write that the object contains; absent if the call did not look for them. */
  readonly found?: readonly FoundMessage[];
}

/**
 * The resources that a save link adds, under the JWT's property names (`offerObjects`): references, or whole resources
 * for a development link.
 */
export type SaveLinkPayload = Readonly<Record<string, readonly object[]>>;

/** The event that a holder has saved or removed an object. */
export interface GoogleCallback {
  readonly event: 'save' | 'del';
  readonly classId: string;
  readonly objectId: string;
  /** Unique for each callback; repetitions of a callback have the same nonce. */
  readonly nonce: string;
  readonly expiresAt: Date;
}

/** The urgency of a request. `holder` requests come first, because a user waits for them. */
export type GoogleUrgency = 'holder' | 'background';

/** Google Wallet's REST API, save links and callbacks. */
export abstract class GoogleWallet {
  /**
   * Returns the credential of an account: its own, else the operator's, else a development one. @throws
   * WalletUnavailable if it cannot be used
   */
  abstract identity(accountId: string): Promise<GoogleIdentity>;

  /**
   * Creates or updates a resource. Never rejects. Each request waits until the quota admits it. A write ends within 45
   * seconds for `background` and 25 seconds for `holder`, including retries.
   */
  abstract write(accountId: string, resource: GoogleResource, urgency: GoogleUrgency): Promise<GoogleResult>;

  /** Returns a signed save link. @throws WalletUnavailable if the credential cannot be used */
  abstract saveLink(accountId: string, payload: SaveLinkPayload): Promise<string>;

  /**
   * Parses a callback and verifies that Google sent it.
   * @throws ValidationFailed if the body is not a callback. @throws Unauthorized if the callback is not from Google or
   * is no longer valid
   */
  abstract readCallback(body: Uint8Array): Promise<GoogleCallback>;

  /** Tests a credential without writing anything. @returns null if it works, otherwise an explanation */
  abstract check(serviceAccount: GoogleServiceAccount): Promise<string | null>;
}

/** Google's request quota, shared by all nodes. It admits one request at a time. */
export abstract class GoogleQuota {
  /** Waits until the quota admits a request. @throws WalletUnavailable when the wait would exceed `maxWaitMs` */
  abstract take(issuerId: string, urgency: GoogleUrgency, maxWaitMs: number): Promise<void>;
}
