import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import type { AppleCredential } from '@passwright/core';
import forge from 'node-forge';
import { type TestCertificates, testCertificates, type TestPassCertificate } from '../test-certificates.js';

const { Class, Type } = forge.asn1;

let made: TestCertificates | undefined;
/** Returns the same authorities to all tests of a file, because keys are slow to create. */
export function certificates(): TestCertificates {
  made ??= testCertificates();
  return made;
}

let signer: AppleCredential | undefined;
/** Returns the default signer of packages. */
export function passCertificate(): AppleCredential {
  signer ??= certificates().pass();
  return signer;
}

export const PASS_TYPE = 'pass.com.example.test';

export function aPassJson(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    formatVersion: 1,
    passTypeIdentifier: PASS_TYPE,
    teamIdentifier: 'TESTTEAM01',
    serialNumber: 'serial-1',
    organizationName: 'Example Testing',
    description: 'A pass',
    foregroundColor: 'rgb(255, 255, 255)',
    generic: {
      primaryFields: [{ key: 'gate', label: 'Gate', value: 'A1', changeMessage: 'Gate is now %@, 100%% sure' }],
    },
    barcodes: [{ format: 'PKBarcodeFormatQR', message: 'code-1', messageEncoding: 'iso-8859-1' }],
    ...changes,
  };
}

/** Returns a PNG of one colour. */
export function aPng(size = 38, grey = 128): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.writeUInt8(8, 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size, grey)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

export interface ZipEntry {
  readonly name: string;
  readonly data: Uint8Array;
  readonly deflate?: boolean;
  /** The flags in the local header and the directory. */
  readonly flags?: number;
  readonly mode?: number;
  /** The name in the local header, if different. */
  readonly localName?: string;
  readonly crc32?: number;
  readonly method?: number;
}

export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const data = entry.deflate ? deflateRawSync(entry.data) : Buffer.from(entry.data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0, 2);
    common.writeUInt16LE(entry.method ?? (entry.deflate ? 8 : 0), 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(entry.crc32 ?? crc32(entry.data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(entry.data.length, 18);
    const local = Buffer.from(entry.localName ?? entry.name);
    common.writeUInt16LE(local.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), Buffer.from(common), local, data);
    const name = Buffer.from(entry.name);
    common.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), Buffer.from(common), rest, name);
    offset += 30 + local.length + data.length;
  }
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(records.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, records, end]);
}

export interface SigningError {
  readonly signer?: { readonly certificatePem: string; readonly privateKeyPem: string };
  readonly embedded?: readonly string[];
  readonly signedAt?: Date;
  /** The signed attributes to write; null for none. */
  readonly attributes?: readonly ('contentType' | 'signingTime' | 'messageDigest')[] | null;
  readonly content?: boolean;
  readonly digest?: 'sha1' | 'sha256';
  readonly contentType?: string;
  /** The bytes to sign instead of the attributes. */
  readonly signedBytes?: Buffer;
  readonly generalizedTime?: boolean;
}

const digestOids = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1' };

/** Builds a CMS signature like Apple's signer, with optional errors. */
export function signature(manifest: Buffer, problem: SigningError = {}): Buffer {
  const signer = problem.signer ?? passCertificate();
  const digest = problem.digest ?? 'sha256';
  const contentType = problem.contentType ?? '1.2.840.113549.1.7.1';
  const attributes = signedAttributes(manifest, digest, contentType, problem);
  const leaf = new X509Certificate(signer.certificatePem);
  const fields = (forge.asn1.fromDer(leaf.raw.toString('latin1')).value[0] as forge.asn1.Asn1)
    .value as forge.asn1.Asn1[];
  const algorithm = sequence(oid(digestOids[digest]), universal(Type.NULL, ''));
  const toSign = problem.signedBytes ?? der(universal(Type.SET, attributes));
  const signed = sign(digest, attributes.length === 0 ? manifest : toSign, createPrivateKey(signer.privateKeyPem));
  const embedded = problem.embedded ?? [certificates().intermediatePem, signer.certificatePem];
  const signerInfo = sequence(
    integer(1),
    sequence(fields[3]!, fields[1]!),
    algorithm,
    ...(attributes.length > 0 ? [context(0, attributes)] : []),
    sequence(oid('1.2.840.113549.1.1.1'), universal(Type.NULL, '')),
    universal(Type.OCTETSTRING, signed.toString('latin1')),
  );
  const content = universal(Type.OCTETSTRING, manifest.toString('latin1'));
  const signedData = sequence(
    integer(1),
    universal(Type.SET, [algorithm]),
    sequence(oid(contentType), ...(problem.content ? [context(0, [content])] : [])),
    context(
      0,
      embedded.map((pem) => forge.asn1.fromDer(new X509Certificate(pem).raw.toString('latin1'))),
    ),
    universal(Type.SET, [signerInfo]),
  );
  return der(sequence(oid('1.2.840.113549.1.7.2'), context(0, [signedData])));
}

function signedAttributes(manifest: Buffer, digest: string, contentType: string, problem: SigningError) {
  const time = (problem.signedAt ?? new Date()).toISOString().replace(/[-:T]|\.\d+/g, '');
  const all = {
    contentType: ['1.2.840.113549.1.9.3', oid(contentType)],
    signingTime: [
      '1.2.840.113549.1.9.5',
      problem.generalizedTime ? universal(Type.GENERALIZEDTIME, time) : universal(Type.UTCTIME, time.slice(2)),
    ],
    messageDigest: [
      '1.2.840.113549.1.9.4',
      universal(Type.OCTETSTRING, createHash(digest).update(manifest).digest().toString('latin1')),
    ],
  } as const;
  const names =
    problem.attributes === undefined ? (['contentType', 'signingTime', 'messageDigest'] as const) : problem.attributes;
  return (names ?? []).map((name) => sequence(oid(all[name][0]), universal(Type.SET, [all[name][1]])));
}

const universal = (type: forge.asn1.Type, value: string | forge.asn1.Asn1[]) =>
  forge.asn1.create(Class.UNIVERSAL, type, Array.isArray(value), value);
const sequence = (...members: forge.asn1.Asn1[]) => universal(Type.SEQUENCE, members);
const context = (tag: number, members: forge.asn1.Asn1[]) =>
  forge.asn1.create(Class.CONTEXT_SPECIFIC, tag, true, members);
const oid = (dotted: string) => universal(Type.OID, forge.asn1.oidToDer(dotted).getBytes());
const integer = (value: number) => universal(Type.INTEGER, forge.asn1.integerToDer(value).getBytes());
const der = (node: forge.asn1.Asn1) => Buffer.from(forge.asn1.toDer(node).getBytes(), 'latin1');

export interface PackageParts {
  readonly json?: Record<string, unknown>;
  /** The files besides `pass.json`. Default: an icon. */
  readonly files?: Record<string, Uint8Array>;
  readonly signing?: SigningError;
  readonly pass?: TestPassCertificate;
  /** Changes the manifest before it is signed. */
  readonly manifest?: (entries: Record<string, string>) => unknown;
  /** Changes the files after signing. */
  readonly tamper?: (files: Map<string, Uint8Array>) => void;
  readonly zip?: (entries: ZipEntry[]) => ZipEntry[];
}

/** Builds a package, which is valid unless `parts` contains errors. */
export function aPackage(parts: PackageParts = {}): Buffer {
  const files = new Map<string, Uint8Array>([
    ['pass.json', Buffer.from(JSON.stringify(aPassJson(parts.json)))],
    ...Object.entries(parts.files ?? { 'icon.png': aPng(), 'icon@2x.png': aPng(76) }),
  ]);
  const entries = Object.fromEntries(
    [...files].map(([name, data]) => [name, createHash('sha1').update(data).digest('hex')]),
  );
  const manifest = Buffer.from(JSON.stringify(parts.manifest?.(entries) ?? entries));
  files.set('manifest.json', manifest);
  const signer = parts.pass && certificates().pass(parts.pass);
  files.set('signature', signature(manifest, { ...(signer && { signer }), ...parts.signing }));
  parts.tamper?.(files);
  const zipped = [...files].map(([name, data]) => ({ name, data, deflate: name.endsWith('.json') }));
  return zip(parts.zip?.(zipped) ?? zipped);
}
