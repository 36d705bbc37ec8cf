import { X509Certificate } from 'node:crypto';
import forge from 'node-forge';
import { DerNode } from './der-node.js';
import type { SignerName } from './signed-data.js';

const USER_ID = '0.9.2342.19200300.100.1.1';
const ORGANIZATIONAL_UNIT = '2.5.4.11';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const PASS_TYPE_MARKER = '1.2.840.113635.100.6.1.16';
const textTypes = [forge.asn1.Type.UTF8, forge.asn1.Type.PRINTABLESTRING, forge.asn1.Type.IA5STRING];
const NFC_MARKER = '1.2.840.113635.100.6.1.26';

/** A certificate from a package's signature, with Apple's fields for pass types. */
export interface PassCertificate extends SignerName {
  readonly x509: X509Certificate;
  /** The pass type identifier in the subject's UID. */
  readonly userId: string | undefined;
  /** The team identifier in the subject's OU. */
  readonly organizationalUnit: string | undefined;
  /** The pass type identifier in Apple's marker extension; undefined without the extension. */
  readonly markedPassType: string | undefined;
  /** The object identifiers of the extended key usages. */
  readonly extendedKeyUsages: readonly string[];
  /** True if passes signed with this certificate may use NFC. */
  readonly allowsNfc: boolean;
}

const mostStored = 100;
const stored = new Map<string, PassCertificate>();

/**
 * Reads a certificate. Caches the result, because many packages contain the same one.
 * @throws Error if it is not an X.509 certificate
 */
export function readCertificate(der: Buffer): PassCertificate {
  const key = der.toString('latin1');
  const known = stored.get(key);
  if (known) return known;
  const certificate = read(der);
  const oldest = stored.keys().next();
  if (stored.size >= mostStored && !oldest.done) stored.delete(oldest.value);
  stored.set(key, certificate);
  return certificate;
}

function read(der: Buffer): PassCertificate {
  const x509 = new X509Certificate(der);
  const fields = DerNode.parse(der).child(0).children;
  // Certificates of X.509 version 1 omit the version and have no extensions.
  const [serialNumber, , issuer, , subject, , ...rest] = fields[0]?.isContext(0) ? fields.slice(1) : fields;
  if (!serialNumber || !issuer || !subject) throw new Error('a certificate is incomplete');
  const extensions = readExtensions(rest.find((node) => node.isContext(3)));
  const extension = (type: string) => {
    const value = extensions.get(type);
    return value && DerNode.parse(value);
  };
  return {
    x509,
    issuer: issuer.bytes,
    serialNumber: serialNumber.bytes,
    subjectKeyIdentifier: extension(SUBJECT_KEY_IDENTIFIER)?.content,
    userId: attribute(subject, USER_ID),
    organizationalUnit: attribute(subject, ORGANIZATIONAL_UNIT),
    markedPassType: text(extension(PASS_TYPE_MARKER)),
    extendedKeyUsages: extension(EXTENDED_KEY_USAGE)?.children.map((usage) => usage.objectIdentifier) ?? [],
    allowsNfc: extensions.has(NFC_MARKER),
  };
}

/** Returns the DER of each extension's value by type. */
function readExtensions(node: DerNode | undefined): Map<string, Buffer> {
  const extensions = node?.child(0).children ?? [];
  return new Map(
    extensions.map((extension) => {
      const value = extension.children.at(-1);
      if (!value) throw new Error("a certificate's extension has no value");
      return [extension.child(0).objectIdentifier, value.content];
    }),
  );
}

function attribute(name: DerNode, type: string): string | undefined {
  const attributes = name.children.flatMap((relative) => relative.children);
  return text(attributes.find((candidate) => candidate.child(0).objectIdentifier === type)?.child(1));
}

function text(node: DerNode | undefined): string | undefined {
  if (!node) return undefined;
  return textTypes.some((type) => node.isUniversal(type)) ? node.content.toString('utf8') : undefined;
}
