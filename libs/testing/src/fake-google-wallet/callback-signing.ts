import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const SENDER = 'GooglePayPasses';
const PROTOCOL = 'ECv2SigningOnly';
const HOUR_MS = 60 * 60 * 1000;

/** Google's message that a holder has saved or removed an object. It does not name the holder. */
export interface CallbackMessage {
  readonly classId: string;
  readonly objectId: string;
  readonly eventType: 'save' | 'del';
  /** The time in milliseconds at which the message expires. */
  readonly expTimeMillis: number;
  /** The number of the delivery attempt, from 1. */
  readonly count: number;
  readonly nonce: string;
}

/** The error in a forged callback, which a receiver must reject. */
export type CallbackForgery =
  | 'unknown root'
  | 'expired intermediate'
  | 'wrong issuer'
  | 'changed message'
  | 'expired message'
  | 'wrong protocol version';

interface Keys {
  readonly root: KeyObject;
  readonly intermediate: KeyObject;
  readonly publicRoot: string;
  readonly publicIntermediate: string;
}

/**
 * Signs callbacks like Google, with Tink's ECv2 protocol: P-256 keys, and a root key that signs an intermediate key.
 * @see https://developers.google.com/wallet/generic/use-cases/use-callbacks-for-saves-and-deletions
 */
export class CallbackSigning {
  private keys = newKeys();

  constructor(private readonly now: () => Date) {}

  /** Returns the published root keys. They include an expired key and a key of another protocol. */
  rootKeys(): object {
    const keyExpiration = String(this.now().getTime() + 30 * 24 * HOUR_MS);
    const expired = String(this.now().getTime() - HOUR_MS);
    return {
      keys: [
        { keyValue: newKeys().publicRoot, protocolVersion: PROTOCOL, keyExpiration: expired },
        { keyValue: newKeys().publicRoot, protocolVersion: 'ECv2', keyExpiration },
        { keyValue: this.keys.publicRoot, protocolVersion: PROTOCOL, keyExpiration },
      ],
    };
  }

  /** Replaces the signing keys and the published root keys. */
  rotate(): void {
    this.keys = newKeys();
  }

  /** Returns the signed body of a callback. @param issuerId the issuer of the class */
  sign(issuerId: string, message: CallbackMessage, forgery?: CallbackForgery): string {
    const keys = forgery === 'unknown root' ? newKeys() : this.keys;
    const protocolVersion = forgery === 'wrong protocol version' ? 'ECv1' : PROTOCOL;
    const intermediateEnd = this.now().getTime() + (forgery === 'expired intermediate' ? -1000 : 24 * HOUR_MS);
    const signedKey = gson({ keyValue: keys.publicIntermediate, keyExpiration: String(intermediateEnd) });
    const expTimeMillis = forgery === 'expired message' ? this.now().getTime() - 1000 : message.expTimeMillis;
    const signedMessage = gson({ ...message, expTimeMillis });
    const signer =
      forgery === 'wrong issuer' ? `${issuerId.slice(0, -1)}${(Number(issuerId.at(-1)) + 1) % 10}` : issuerId;
    const changed = gson({ ...message, eventType: message.eventType === 'save' ? 'del' : 'save' });
    return gson({
      signature: signature(keys.intermediate, [SENDER, signer, protocolVersion, signedMessage]),
      intermediateSigningKey: {
        signedKey,
        signatures: [signature(keys.root, [SENDER, protocolVersion, signedKey])],
      },
      protocolVersion,
      signedMessage: forgery === 'changed message' ? changed : signedMessage,
    });
  }
}

function newKeys(): Keys {
  const [root, intermediate] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  if (!root || !intermediate) throw new RangeError('There are two.');
  const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    root: root.privateKey,
    intermediate: intermediate.privateKey,
    publicRoot: spki(root.publicKey),
    publicIntermediate: spki(intermediate.publicKey),
  };
}

/**
 * Signs texts with ECDSA and SHA-256 and returns DER. Each text follows its length, a 32-bit little-endian number of
 * bytes.
 */
function signature(key: KeyObject, texts: readonly string[]): string {
  const signed = texts.flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  return sign('sha256', Buffer.concat(signed), key).toString('base64');
}

/** Serialises JSON like Google's library, which escapes HTML characters, including `=`. */
function gson(value: object): string {
  return JSON.stringify(value).replace(/[<>&=']/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
