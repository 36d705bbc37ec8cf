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

/** A certificate out of a package's signature, with what Apple writes into those of pass types. */
export interface PassCertificate extends SignerName {
  readonly x509: X509Certificate;
  /** The pass type identifier that the subject's UID names. */
  readonly userId: string | undefined;
  /** The team identifier: the subject's OU. */
  readonly organizationalUnit: string | undefined;
  /** The pass type identifier that Apple's marker extension names; undefined without the extension. */
  readonly markedPassType: string | undefined;
  /** Object identifiers. */
  readonly extendedKeyUsages: readonly string[];
  /** Whether passes signed with it may speak over NFC. */
  readonly allowsNfc: boolean;
}

const mostKept = 100;
const kept = new Map<string, PassCertificate>();

/** Reads a certificate, once for all packages that hold it. @throws Error when it is no X.509 certificate */
export function readCertificate(der: Buffer): PassCertificate {
  const key = der.toString('latin1');
  const known = kept.get(key);
  if (known) return known;
  const certificate = read(der);
  const oldest = kept.keys().next();
  if (kept.size >= mostKept && !oldest.done) kept.delete(oldest.value);
  kept.set(key, certificate);
  return certificate;
}

function read(der: Buffer): PassCertificate {
  const x509 = new X509Certificate(der);
  const fields = DerNode.parse(der).child(0).children;
  // The version is left out of certificates of the first version, which have no extensions.
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

/** The DER of each extension's value, by type; it is read only where it matters. */
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
