import { hash, type X509Certificate } from 'node:crypto';
import { issuerAndSerialNumber } from './certificate-der.js';
import { der, derSetOf, objectIdentifier, tags } from './der.js';

const NULL = der(tags.null);
const VERSION_1 = der(tags.integer, Buffer.from([1]));
const ID_DATA = objectIdentifier('1.2.840.113549.1.7.1');
const ID_SIGNED_DATA = objectIdentifier('1.2.840.113549.1.7.2');
const CONTENT_TYPE = objectIdentifier('1.2.840.113549.1.9.3');
const MESSAGE_DIGEST = objectIdentifier('1.2.840.113549.1.9.4');
const SIGNING_TIME = objectIdentifier('1.2.840.113549.1.9.5');
const SHA256 = der(tags.sequence, objectIdentifier('2.16.840.1.101.3.4.2.1'), NULL);
const SHA256_WITH_RSA = der(tags.sequence, objectIdentifier('1.2.840.113549.1.1.11'), NULL);
const SHA256_BYTES = 32;

/** The constant bytes of a signature, with gaps for the time, the digest and, at the end, the RSA signature. */
interface Template {
  readonly signedData: Buffer;
  /** The signed attributes under a SET tag, in the form that is hashed (RFC 5652 §5.4). */
  readonly attributes: Buffer;
  readonly attributesAt: number;
  readonly timeAt: number;
  readonly timeLength: number;
}

/** A signature that lacks only the part that the private key computes. */
export interface UnsignedCms {
  /** The bytes to sign by RSASSA-PKCS1-v1_5 with SHA-256 (RFC 5652 §5.4). */
  readonly attributes: Buffer;
  /** Completes the signature. @param signature as long as the key's modulus. @returns the SignedData in DER */
  finish(signature: Uint8Array): Buffer;
}

/**
 * Encodes detached CMS SignedData in DER for Apple Wallet (RFC 5652): SHA-256 with RSA, the signing time, leaf and
 * intermediate. Encodes the constant parts once, so a signature costs only the RSA operation.
 */
export class CmsEncoder {
  private readonly utcTime: Template;
  private readonly generalizedTime: Template;
  private second = NaN;
  private time = '';

  /** Assumes valid certificates; `loadCertificates` checks them. */
  constructor(certificate: X509Certificate, intermediate: X509Certificate) {
    this.utcTime = compile(certificate, intermediate, der(tags.utcTime, Buffer.from('YYMMDDhhmmssZ')));
    this.generalizedTime = compile(
      certificate,
      intermediate,
      der(tags.generalizedTime, Buffer.from('YYYYMMDDhhmmssZ')),
    );
  }

  /** Prepares a signature. @param at the signing time, in whole seconds */
  begin(content: Uint8Array, at: Date): UnsignedCms {
    // UTCTime has two digits for the year and ends with 2049 (RFC 5652 §11.3).
    const template = at.getUTCFullYear() < 2050 ? this.utcTime : this.generalizedTime;
    const attributes = filledAttributes(template, content, this.timeOf(at));
    return { attributes, finish: (signature) => filledSignedData(template, attributes, signature) };
  }

  /**
   * Formats a time as `YYYYMMDDhhmmssZ`. Caches the result for one second, because formatting a date costs more than
   * hashing a manifest.
   */
  private timeOf(at: Date): string {
    const second = Math.floor(at.getTime() / 1000);
    if (second !== this.second) {
      this.time = at.toISOString().replace(/\.\d+|[-:T]/g, '');
      this.second = second;
    }
    return this.time;
  }
}

function compile(certificate: X509Certificate, intermediate: X509Certificate, blankTime: Buffer): Template {
  const signingTime = attribute(SIGNING_TIME, blankTime);
  const attributes = derSetOf(tags.set, [
    attribute(CONTENT_TYPE, ID_DATA),
    signingTime,
    attribute(MESSAGE_DIGEST, der(tags.octetString, Buffer.alloc(SHA256_BYTES))),
  ]);
  const signature = der(
    tags.octetString,
    Buffer.alloc(Math.ceil((certificate.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8)),
  );
  const signerInfo = der(
    tags.sequence,
    VERSION_1,
    der(tags.sequence, ...issuerAndSerialNumber(certificate)),
    SHA256,
    // The same bytes with an IMPLICIT [0] tag instead of SET.
    Buffer.from([tags.context0]),
    attributes.subarray(1),
    SHA256_WITH_RSA,
    signature,
  );
  const signedData = der(
    tags.sequence,
    VERSION_1,
    der(tags.set, SHA256),
    der(tags.sequence, ID_DATA),
    derSetOf(tags.context0, [certificate.raw, intermediate.raw]),
    der(tags.set, signerInfo),
  );
  const contentInfo = der(tags.sequence, ID_SIGNED_DATA, der(tags.context0, signedData));
  const timeLength = blankTime.length - 2;
  return {
    signedData: contentInfo,
    attributes,
    attributesAt: contentInfo.length - signature.length - SHA256_WITH_RSA.length - attributes.length,
    timeAt: attributes.indexOf(signingTime) + signingTime.length - timeLength,
    timeLength,
  };
}

function attribute(type: Buffer, value: Buffer): Buffer {
  return der(tags.sequence, type, der(tags.set, value));
}

function filledAttributes(template: Template, content: Uint8Array, time: string): Buffer {
  // Copy the bytes, because the thread pool may read them after this call.
  const attributes = Buffer.from(template.attributes);
  attributes.write(time.slice(-template.timeLength), template.timeAt, 'latin1');
  // DER sorts attributes by their bytes, so the longest one comes last. Its last bytes are the digest.
  attributes.write(hash('sha256', content), attributes.length - SHA256_BYTES, 'hex');
  return attributes;
}

function filledSignedData(template: Template, attributes: Buffer, signature: Uint8Array): Buffer {
  const signedData = Buffer.from(template.signedData);
  attributes.copy(signedData, template.attributesAt + 1, 1);
  signedData.set(signature, signedData.length - signature.length);
  return signedData;
}
