import { DerNode } from './der-node.js';

const ID_DATA = '1.2.840.113549.1.7.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';

/** The parts of a CMS SignedData that a phone checks. */
export interface SignedData {
  /** The type of the signed content; id-data for a manifest. */
  readonly contentType: string;
  /** False for a detached signature. */
  readonly hasContent: boolean;
  /** The object identifiers of the digest algorithms. */
  readonly digestAlgorithms: readonly string[];
  /** The DER certificates in their original order. */
  readonly certificates: readonly Buffer[];
  readonly signers: readonly SignerInfo[];
}

export interface SignerInfo {
  /** Returns true if the signer's identity is that of the certificate. */
  readonly isSigner: (certificate: SignerName) => boolean;
  readonly digestAlgorithm: string;
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
  /** The values of each signed attribute by object identifier; null if there are no signed attributes. */
  readonly signedAttributes: ReadonlyMap<string, readonly DerNode[]> | null;
  /** The bytes that the signature covers; null without signed attributes. */
  readonly signedBytes: Buffer | null;
}

/**
 * The identity of a certificate in a SignerInfo: the DER of issuer and serial number, or the subject key identifier.
 */
export interface SignerName {
  readonly issuer: Buffer;
  readonly serialNumber: Buffer;
  readonly subjectKeyIdentifier: Buffer | undefined;
}

/**
 * Reads the `signature` file of a package.
 * @see https://www.rfc-editor.org/rfc/rfc5652#section-5
 * @throws Error if it is not the DER of a SignedData
 */
export function readSignedData(bytes: Uint8Array): SignedData {
  const [type, content, ...more] = DerNode.parse(bytes).sequence.children;
  if (type?.objectIdentifier !== SIGNED_DATA || !content || more.length > 0) throw new Error('it is no SignedData');
  const [version, digestAlgorithms, signed, ...rest] = content.context(0).child(0).sequence.children;
  const signers = rest.pop();
  if (!version || !digestAlgorithms || !signed || !signers) throw new Error('its SignedData is incomplete');
  const certificates = rest.find((node) => node.isContext(0));
  const contentType = signed.sequence.child(0).objectIdentifier;
  if (contentType === ID_DATA && version.integer !== versionOf(signers.set.children)) {
    throw new Error(`its SignedData has the version ${version.integer}`);
  }
  return {
    contentType,
    hasContent: signed.children.length > 1,
    digestAlgorithms: digestAlgorithms.set.children.map(({ algorithm }) => algorithm),
    certificates: certificates?.children.map((certificate) => certificate.bytes) ?? [],
    signers: signers.set.children.map(readSignerInfo),
  };
}

/** Returns the version that a SignedData must have, which depends on its signers (RFC 5652 5.1). */
function versionOf(signers: readonly DerNode[]): number {
  return signers.some((signer) => signer.sequence.child(0).integer === 3) ? 3 : 1;
}

function readSignerInfo(node: DerNode): SignerInfo {
  const [version, signer, digestAlgorithm, ...rest] = node.sequence.children;
  const attributes = rest[0]?.isContext(0) ? rest.shift() : undefined;
  const [signatureAlgorithm, signature] = rest;
  if (!version || !signer || !digestAlgorithm || !signatureAlgorithm || !signature) {
    throw new Error('its SignerInfo is incomplete');
  }
  // The version depends on how the SignerInfo identifies the signer.
  if (version.integer !== (signer.isContext(0) ? 3 : 1))
    throw new Error(`its SignerInfo has the version ${version.integer}`);
  return {
    isSigner: signerTest(signer),
    digestAlgorithm: digestAlgorithm.algorithm,
    signatureAlgorithm: signatureAlgorithm.algorithm,
    signature: signature.octets,
    signedAttributes: attributes ? readAttributes(attributes) : null,
    signedBytes: attributes?.bytesAsSet ?? null,
  };
}

function signerTest(signer: DerNode): (certificate: SignerName) => boolean {
  if (signer.isContext(0)) {
    const keyIdentifier = signer.content;
    return ({ subjectKeyIdentifier }) => subjectKeyIdentifier?.equals(keyIdentifier) ?? false;
  }
  const [issuer, serial] = [signer.sequence.child(0).bytes, signer.child(1).bytes];
  return ({ issuer: ofIssuer, serialNumber }) => ofIssuer.equals(issuer) && serialNumber.equals(serial);
}

function readAttributes(attributes: DerNode): Map<string, readonly DerNode[]> {
  const values = new Map<string, readonly DerNode[]>();
  for (const attribute of attributes.children) {
    const type = attribute.sequence.child(0).objectIdentifier;
    if (values.has(type)) throw new Error(`the signed attribute ${type} is there twice`);
    values.set(type, attribute.child(1).set.children);
  }
  return values;
}
