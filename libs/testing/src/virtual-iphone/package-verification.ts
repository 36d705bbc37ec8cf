import type { X509Certificate } from 'node:crypto';
import { imageFaults } from './image-rules.js';
import { manifestFaults } from './manifest-rules.js';
import { readArchive, type ArchiveLimits } from './package-archive.js';
import { judgeSignature } from './package-signature.js';
import type { PassCertificate } from './pass-certificate.js';
import { passJsonFaults, type PassJson } from './pass-json-rules.js';
import { isObject, parseJson } from './strict-json.js';

const limits: ArchiveLimits = { maxArchiveBytes: 16 << 20, maxUnpackedBytes: 64 << 20, maxFiles: 500 };

/** A package that a phone rejects. `faults` lists everything that is wrong with it. */
export class PackageRefused extends Error {
  override readonly name = 'PackageRefused';

  constructor(readonly faults: readonly string[]) {
    super(`The package is refused:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
  }
}

/** A package that passed every check. */
export interface VerifiedPackage {
  readonly json: PassJson & Readonly<Record<'passTypeIdentifier' | 'teamIdentifier' | 'serialNumber', string>>;
  /** Every file by its path in the package. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly packageBytes: Buffer;
  /** The signing time from the signature, to the second. */
  readonly signedAt: Date;
}

/** The trust settings for a package. */
export interface PackageTrust {
  /** The trusted roots. If there are none, any chain is valid. */
  readonly roots: readonly X509Certificate[];
  /** True allows an http `webServiceURL`, like the developer switch of a phone. */
  readonly allowHttp: boolean;
}

/**
 * Verifies a `.pkpass` as a phone does, and more strictly where a phone would silently drop something: archive,
 * manifest, signature and its chain, identifiers, `pass.json`, images. At most 16 MiB, 64 MiB unpacked, 500 files.
 * @see https://developer.apple.com/documentation/walletpasses/building-a-pass
 * @throws PackageRefused with every fault
 */
export async function verifyPackage(pkpass: Uint8Array, { roots, allowHttp }: PackageTrust): Promise<VerifiedPackage> {
  const packageBytes = Buffer.from(pkpass.buffer, pkpass.byteOffset, pkpass.byteLength);
  const { files, faults: archiveFaults } = await readArchive(packageBytes, limits);
  if (files.size === 0) throw new PackageRefused(archiveFaults.length > 0 ? archiveFaults : ['zip: it is empty']);
  const faults = [...archiveFaults, ...manifestFaults(files)];
  const signature = judge(files, roots);
  faults.push(...signature.faults.map((fault) => `signature: ${fault}`));
  const { json, faults: jsonFaults } = readPassJson(files.get('pass.json'), allowHttp);
  faults.push(...jsonFaults.map((fault) => `pass.json: ${fault}`), ...imageFaults(files));
  if (json && signature.signer) faults.push(...identityFaults(json, signature.signer));
  if (faults.length > 0 || !json || !signature.signedAt) throw new PackageRefused(faults);
  return { json: json as VerifiedPackage['json'], files, packageBytes, signedAt: signature.signedAt };
}

function judge(files: ReadonlyMap<string, Buffer>, roots: readonly X509Certificate[]) {
  const [signature, manifest] = [files.get('signature'), files.get('manifest.json')];
  if (signature && manifest) return judgeSignature(signature, manifest, roots);
  return { faults: signature ? [] : ['it is missing'], signer: null, signedAt: null };
}

function readPassJson(bytes: Buffer | undefined, allowHttp: boolean): { json: PassJson | null; faults: string[] } {
  if (!bytes) return { json: null, faults: ['it is missing'] };
  const { value, fault } = parseJson(bytes);
  if (fault) return { json: null, faults: [fault] };
  if (!isObject(value)) return { json: null, faults: ['it is no object'] };
  return { json: value, faults: passJsonFaults(value, { allowHttp }) };
}

function identityFaults(json: PassJson, signer: PassCertificate): string[] {
  const faults: string[] = [];
  const { passTypeIdentifier: passType, teamIdentifier: team } = json;
  if (signer.userId !== passType) {
    faults.push(
      `pass.json: passTypeIdentifier is "${String(passType)}", the certificate's UID "${signer.userId ?? ''}"`,
    );
  }
  if (signer.markedPassType !== undefined && signer.markedPassType !== passType) {
    faults.push(
      `pass.json: passTypeIdentifier is "${String(passType)}", the certificate is marked "${signer.markedPassType}"`,
    );
  }
  if (signer.organizationalUnit !== team) {
    faults.push(
      `pass.json: teamIdentifier is "${String(team)}", the certificate's OU "${signer.organizationalUnit ?? ''}"`,
    );
  }
  if (json.nfc !== undefined && !signer.allowsNfc) faults.push('pass.json: nfc needs a certificate that allows it');
  return faults;
}
