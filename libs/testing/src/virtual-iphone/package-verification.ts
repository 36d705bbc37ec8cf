import type { X509Certificate } from 'node:crypto';
import { imageProblems } from './image-rules.js';
import { manifestProblems } from './manifest-rules.js';
import { readArchive, type ArchiveLimits } from './package-archive.js';
import { judgeSignature } from './package-signature.js';
import type { PassCertificate } from './pass-certificate.js';
import { passJsonProblems, type PassJson } from './pass-json-rules.js';
import { isObject, parseJson } from './strict-json.js';
import { readStringTables } from '../string-tables.js';

const limits: ArchiveLimits = { maxArchiveBytes: 16 << 20, maxUnpackedBytes: 64 << 20, maxFiles: 500 };

/** The error for a package that a phone rejects. `problems` lists all errors of the package. */
export class PackageRejected extends Error {
  override readonly name = 'PackageRejected';

  constructor(readonly problems: readonly string[]) {
    super(`The package is rejected:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
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
  /** The trusted root certificates. If empty, any chain is valid. */
  readonly roots: readonly X509Certificate[];
  /** If true, allows http in `webServiceURL`, like a developer setting of a phone. */
  readonly allowHttp: boolean;
}

/**
 * Verifies a `.pkpass` like a phone, and also rejects content that a phone would silently drop. Accepts at most 16 MiB,
 * 64 MiB unpacked, and 500 files.
 * @see https://developer.apple.com/documentation/walletpasses/building-a-pass
 * @throws PackageRejected with every error
 */
export async function verifyPackage(pkpass: Uint8Array, { roots, allowHttp }: PackageTrust): Promise<VerifiedPackage> {
  const packageBytes = Buffer.from(pkpass.buffer, pkpass.byteOffset, pkpass.byteLength);
  const { files, problems: archiveProblems } = await readArchive(packageBytes, limits);
  if (files.size === 0) throw new PackageRejected(archiveProblems.length > 0 ? archiveProblems : ['zip: it is empty']);
  const problems = [...archiveProblems, ...manifestProblems(files)];
  const signature = judge(files, roots);
  problems.push(...signature.problems.map((problem) => `signature: ${problem}`));
  const { json, problems: jsonProblems } = readPassJson(files.get('pass.json'), allowHttp);
  problems.push(...jsonProblems.map((problem) => `pass.json: ${problem}`), ...imageProblems(files));
  problems.push(...readStringTables(files).problems);
  if (json && signature.signer) problems.push(...identityProblems(json, signature.signer));
  if (problems.length > 0 || !json || !signature.signedAt) throw new PackageRejected(problems);
  return { json: json as VerifiedPackage['json'], files, packageBytes, signedAt: signature.signedAt };
}

function judge(files: ReadonlyMap<string, Buffer>, roots: readonly X509Certificate[]) {
  const [signature, manifest] = [files.get('signature'), files.get('manifest.json')];
  if (signature && manifest) return judgeSignature(signature, manifest, roots);
  return { problems: signature ? [] : ['it is missing'], signer: null, signedAt: null };
}

function readPassJson(bytes: Buffer | undefined, allowHttp: boolean): { json: PassJson | null; problems: string[] } {
  if (!bytes) return { json: null, problems: ['it is missing'] };
  const { value, problem } = parseJson(bytes);
  if (problem) return { json: null, problems: [problem] };
  if (!isObject(value)) return { json: null, problems: ['it is no object'] };
  return { json: value, problems: passJsonProblems(value, { allowHttp }) };
}

function identityProblems(json: PassJson, signer: PassCertificate): string[] {
  const problems: string[] = [];
  const { passTypeIdentifier: passType, teamIdentifier: team } = json;
  if (signer.userId !== passType) {
    problems.push(
      `pass.json: passTypeIdentifier is "${String(passType)}", the certificate's UID "${signer.userId ?? ''}"`,
    );
  }
  if (signer.markedPassType !== undefined && signer.markedPassType !== passType) {
    problems.push(
      `pass.json: passTypeIdentifier is "${String(passType)}", the certificate is marked "${signer.markedPassType}"`,
    );
  }
  if (signer.organizationalUnit !== team) {
    problems.push(
      `pass.json: teamIdentifier is "${String(team)}", the certificate's OU "${signer.organizationalUnit ?? ''}"`,
    );
  }
  if (json.nfc !== undefined && !signer.allowsNfc) problems.push('pass.json: nfc needs a certificate that allows it');
  return problems;
}
