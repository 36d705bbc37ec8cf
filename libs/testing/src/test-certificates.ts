import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { AppleCredential } from '@passwright/core';
import forge from 'node-forge';
import { onceInProcess } from './once-in-process.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const OIDS = {
  userId: '0.9.2342.19200300.100.1.1',
  passSigning: '1.2.840.113635.100.4.14',
  passTypeIdentifier: '1.2.840.113635.100.6.1.16',
  passMarker: '1.2.840.113635.100.6.3.2',
  wwdrMarker: '1.2.840.113635.100.6.2.1',
} as const;
/** Returns new extensions at each call, because node-forge changes them. */
const authorityExtensions = () => [
  { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
  { name: 'subjectKeyIdentifier' },
];

/** A certificate with its key, both as PEM text. */
export interface TestCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** The content of a pass type certificate. Omitted values get defaults. */
export interface TestPassCertificate {
  readonly passTypeIdentifier?: string;
  readonly teamIdentifier?: string;
  readonly organizationName?: string;
  readonly validFrom?: Date;
  readonly expiresAt?: Date;
  /** The value of `AppleCredential.development`. Default: true. */
  readonly development?: boolean;
}

/** The authorities of one test, with their own keys. Clients that trust `rootPem` trust all their certificates. */
export interface TestCertificates {
  readonly rootPem: string;
  readonly intermediatePem: string;
  /** Issues a certificate like Apple's for pass types (EKU, marker, UID, OU), different at each call. */
  pass(what?: TestPassCertificate): AppleCredential;
  /** Issues a server certificate for `localhost`, `127.0.0.1` and the given host names. */
  server(hostNames?: readonly string[]): TestCertificate;
}

interface Party {
  readonly subject: forge.pki.CertificateField[];
  readonly key: KeyObject;
}

interface Intermediate extends Party {
  readonly certificatePem: string;
}

/** The number of authorities that this spec file has created. */
let authorities = 0;

/**
 * Creates a root authority, which issues certificates on request. All authorities of a spec file have different keys.
 * The next spec file uses the same keys again, because creating one takes about 0.2 s.
 */
export function testCertificates(): TestCertificates {
  const root: Party = { subject: [attribute('CN', 'Test Root CA'), attribute('O', 'Testing')], key: authorityKey() };
  const span = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + 3650 * DAY_MS) };
  const rootPem = issue(root, root, span, [
    { name: 'basicConstraints', critical: true, cA: true },
    ...authorityExtensions(),
  ]);
  let made: Intermediate | null = null;
  const intermediate = () => (made ??= passAuthority(root, span));
  return {
    rootPem,
    get intermediatePem() {
      return intermediate().certificatePem;
    },
    pass: (what = {}) => passCredential(what, intermediate()),
    server: (hostNames = []) => serverCertificate(root, span, hostNames),
  };
}

function passAuthority(root: Party, span: { from: Date; to: Date }): Intermediate {
  const subject = [attribute('CN', 'Test Pass Relations CA'), attribute('OU', 'G4'), attribute('O', 'Testing')];
  const party: Party = { subject, key: authorityKey() };
  const certificatePem = issue(party, root, span, [
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    ...authorityExtensions(),
    { id: OIDS.wwdrMarker, value: asn1(forge.asn1.Type.NULL, '') },
  ]);
  return { ...party, certificatePem };
}

function passCredential(what: TestPassCertificate, issuer: Intermediate): AppleCredential {
  const key = leafKey();
  const owner = {
    passTypeIdentifier: what.passTypeIdentifier ?? 'pass.com.example.test',
    teamIdentifier: what.teamIdentifier ?? 'TESTTEAM01',
    organizationName: what.organizationName ?? 'Example Testing',
  };
  const from = what.validFrom ?? new Date(Date.now() - DAY_MS);
  const to = what.expiresAt ?? new Date(from.getTime() + 395 * DAY_MS);
  const subject = [
    attribute(OIDS.userId, owner.passTypeIdentifier),
    attribute('CN', `Pass Type ID: ${owner.passTypeIdentifier}`),
    attribute('OU', owner.teamIdentifier),
    attribute('O', owner.organizationName),
  ];
  const certificatePem = issue({ subject, key }, issuer, { from, to }, [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true },
    { name: 'extKeyUsage', clientAuth: true, [OIDS.passSigning]: true },
    { id: OIDS.passTypeIdentifier, value: asn1(forge.asn1.Type.UTF8, owner.passTypeIdentifier) },
    { id: OIDS.passMarker, value: asn1(forge.asn1.Type.NULL, '') },
    { name: 'subjectKeyIdentifier' },
  ]);
  const { fingerprint256, validTo } = new X509Certificate(certificatePem);
  return {
    ...owner,
    certificatePem,
    privateKeyPem: pem(key),
    intermediatePem: issuer.certificatePem,
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    expiresAt: new Date(validTo),
    development: what.development ?? true,
  };
}

function serverCertificate(
  issuer: Party,
  span: { from: Date; to: Date },
  hostNames: readonly string[],
): TestCertificate {
  const key = leafKey();
  const certificatePem = issue({ subject: [attribute('CN', 'localhost')], key }, issuer, span, [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 7, ip: '127.0.0.1' },
        ...hostNames.map((value) => ({ type: 2, value })),
      ],
    },
  ]);
  return { certificatePem, privateKeyPem: pem(key) };
}

function issue(owner: Party, issuer: Party, span: { from: Date; to: Date }, extensions: object[]): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey(owner);
  // Clear the highest bit and set the next one, so that the number is positive and has a constant length.
  const serialNumber = randomBytes(16);
  serialNumber.writeUInt8((serialNumber.readUInt8(0) & 0x7f) | 0x40, 0);
  certificate.serialNumber = serialNumber.toString('hex');
  certificate.validity.notBefore = span.from;
  certificate.validity.notAfter = span.to;
  certificate.setSubject(owner.subject);
  certificate.setIssuer(issuer.subject);
  const keyIdentifier = forge.pki.getPublicKeyFingerprint(publicKey(issuer), { type: 'RSAPublicKey' }).getBytes();
  certificate.setExtensions([...extensions, { name: 'authorityKeyIdentifier', keyIdentifier }]);
  // Sign with Node, which is ten times as fast as node-forge.
  const signed = () => sign('sha256', Buffer.from(derOf(certificate), 'latin1'), issuer.key).toString('latin1');
  certificate.sign({ sign: signed } as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}

/** Returns the signed part of a certificate, as a string of bytes. */
function derOf({ tbsCertificate }: forge.pki.Certificate): string {
  return forge.asn1.toDer(tbsCertificate).getBytes();
}

function publicKey({ key }: Party): forge.pki.rsa.PublicKey {
  return forge.pki.publicKeyFromPem(createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString());
}

function authorityKey(): KeyObject {
  authorities += 1;
  return storedKey(`authority ${authorities}`);
}

/** Returns the key of all certificates except authorities. Tests never compare these keys. */
function leafKey(): KeyObject {
  return storedKey('leaf');
}

function storedKey(name: string): KeyObject {
  return onceInProcess(`key of ${name}`, () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function attribute(type: string, value: string): forge.pki.CertificateField {
  const field = type.includes('.') ? { type } : { shortName: type };
  // node-forge's types wrongly require an ASN.1 class here, but its code expects a string type.
  return { ...field, value, valueTagClass: forge.asn1.Type.UTF8 as unknown as forge.asn1.Class };
}

function asn1(type: forge.asn1.Type, value: string): forge.asn1.Asn1 {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, type, false, Buffer.from(value, 'utf8').toString('latin1'));
}
