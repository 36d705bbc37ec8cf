import { type KeyObject, randomBytes } from 'node:crypto';
import forge from 'node-forge';
import { appleOids, type CertificateOwner } from './certificate-problems.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY = 'Passwright (DEVELOPMENT)';
const ROOT_SUBJECT = [attribute('CN', 'Passwright Root CA (DEVELOPMENT)'), attribute('O', AUTHORITY)];
const INTERMEDIATE_SUBJECT = [
  attribute('CN', 'Passwright Pass Relations CA (DEVELOPMENT)'),
  attribute('OU', 'G4'),
  attribute('O', AUTHORITY),
];
/** Apple's OIDs in real pass type certificates and in the certificate of their issuer. */
const WWDR_INTERMEDIATE = '1.2.840.113635.100.6.2.1';
const PASS_CERTIFICATE_MARKER = '1.2.840.113635.100.6.3.2';
const APPLE_CERTIFICATE_POLICY = '1.2.840.113635.100.5.1';

type Subject = forge.pki.CertificateField[];

/** The private keys of a development chain. */
export interface DevelopmentKeys {
  readonly root: KeyObject;
  readonly intermediate: KeyObject;
  readonly pass: KeyObject;
}

/** Creates the self-signed root, valid for 20 years. @returns PEM */
export function rootCertificate(keys: DevelopmentKeys, now: Date): string {
  return issue(ROOT_SUBJECT, keys.root, { subject: ROOT_SUBJECT, key: keys.root }, now, 7300, [
    { name: 'basicConstraints', critical: true, cA: true },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
  ]);
}

/**
 * Creates the stand-in for Apple's WWDR intermediate, valid for 10 years, with Apple's marker extension. @returns PEM
 */
export function intermediateCertificate(keys: DevelopmentKeys, now: Date): string {
  return issue(INTERMEDIATE_SUBJECT, keys.intermediate, { subject: ROOT_SUBJECT, key: keys.root }, now, 3650, [
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { id: WWDR_INTERMEDIATE, value: asn1(forge.asn1.Type.NULL, '') },
  ]);
}

/**
 * Creates a pass type certificate, valid for 395 days, with a subject and extensions like those of Apple's
 * certificates. @returns PEM
 */
export function passCertificate(keys: DevelopmentKeys, owner: CertificateOwner, now: Date): string {
  const subject = [
    attribute('0.9.2342.19200300.100.1.1', owner.passTypeIdentifier),
    attribute('CN', `Pass Type ID: ${owner.passTypeIdentifier}`),
    attribute('OU', owner.teamIdentifier),
    attribute('O', owner.organizationName),
    attribute('C', 'US'),
  ];
  const policies = asn1(forge.asn1.Type.SEQUENCE, [
    asn1(forge.asn1.Type.SEQUENCE, [
      asn1(forge.asn1.Type.OID, forge.asn1.oidToDer(APPLE_CERTIFICATE_POLICY).getBytes()),
    ]),
  ]);
  const issuer = { subject: INTERMEDIATE_SUBJECT, key: keys.intermediate };
  return issue(subject, keys.pass, issuer, now, 395, [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true },
    { name: 'extKeyUsage', clientAuth: true, [appleOids.passSigning]: true },
    { name: 'certificatePolicies', value: policies },
    { id: appleOids.passTypeIdentifier, value: asn1(forge.asn1.Type.UTF8, utf8(owner.passTypeIdentifier)) },
    { id: PASS_CERTIFICATE_MARKER, value: asn1(forge.asn1.Type.NULL, '') },
  ]);
}

function issue(
  subject: Subject,
  key: KeyObject,
  issuer: { subject: Subject; key: KeyObject },
  now: Date,
  days: number,
  extensions: object[],
): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forgeKey(key).publicKey;
  certificate.serialNumber = serialNumber();
  // Start the validity an hour early, because the clock may later be set back a little.
  certificate.validity.notBefore = new Date(now.getTime() - DAY_MS / 24);
  certificate.validity.notAfter = new Date(certificate.validity.notBefore.getTime() + days * DAY_MS);
  certificate.setSubject(subject);
  certificate.setIssuer(issuer.subject);
  const issuerKey = forgeKey(issuer.key);
  certificate.setExtensions([
    ...extensions,
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: keyIdentifier(issuerKey.publicKey) },
  ]);
  certificate.sign(issuerKey.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}

function forgeKey(key: KeyObject): { privateKey: forge.pki.rsa.PrivateKey; publicKey: forge.pki.rsa.PublicKey } {
  const privateKey = forge.pki.privateKeyFromPem(key.export({ type: 'pkcs1', format: 'pem' }).toString());
  return { privateKey, publicKey: forge.pki.setRsaPublicKey(privateKey.n, privateKey.e) };
}

function keyIdentifier(publicKey: forge.pki.rsa.PublicKey): string {
  return forge.pki.getPublicKeyFingerprint(publicKey, { type: 'RSAPublicKey' }).getBytes();
}

function attribute(type: string, value: string): forge.pki.CertificateField {
  const field = type.includes('.') ? { type } : { shortName: type };
  // node-forge's types wrongly require an ASN.1 class here, but its code expects a string type.
  return { ...field, value, valueTagClass: forge.asn1.Type.UTF8 as unknown as forge.asn1.Class };
}

function asn1(type: forge.asn1.Type, value: string | forge.asn1.Asn1[]): forge.asn1.Asn1 {
  return forge.asn1.create(forge.asn1.Class.UNIVERSAL, type, Array.isArray(value), value);
}

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Returns a positive serial number of constant length: a zero bit, a set bit and 126 random bits. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes.toString('hex');
}
