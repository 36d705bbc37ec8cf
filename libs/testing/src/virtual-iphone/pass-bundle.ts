import { readArchive, type ArchiveLimits } from './package-archive.js';
import { PackageRejected, verifyPackage, type PackageTrust, type VerifiedPackage } from './package-verification.js';

const mostPasses = 10;
const maxBundleBytes = 150_000_000;
const limits: ArchiveLimits = {
  maxArchiveBytes: maxBundleBytes,
  maxUnpackedBytes: maxBundleBytes,
  maxFiles: mostPasses,
};

/**
 * Verifies a `.pkpasses` bundle: an archive of at most 150 MB with 1 to 10 different `.pkpass` files and nothing else.
 * Verifies each pass like a single package.
 * @see https://developer.apple.com/documentation/walletpasses/distributing-and-updating-a-pass
 * @throws PackageRejected with every error; the errors of a pass begin with its file name
 */
export async function verifyBundle(pkpasses: Uint8Array, trust: PackageTrust): Promise<VerifiedPackage[]> {
  const bytes = Buffer.from(pkpasses.buffer, pkpasses.byteOffset, pkpasses.byteLength);
  const { files, problems: archiveProblems } = await readArchive(bytes, limits);
  const problems = [...archiveProblems];
  const passes: VerifiedPackage[] = [];
  const seen = new Set<string>();
  for (const [name, pkpass] of files) {
    if (!/^[^/]+\.pkpass$/.test(name)) {
      problems.push(`"${name}" is no .pkpass at the root of the bundle`);
      continue;
    }
    try {
      const verified = await verifyPackage(pkpass, trust);
      const { passTypeIdentifier, serialNumber } = verified.json;
      const identity = `${passTypeIdentifier}/${serialNumber}`;
      if (seen.has(identity)) problems.push(`"${name}" holds ${identity}, which is in the bundle already`);
      seen.add(identity);
      passes.push(verified);
    } catch (error) {
      if (!(error instanceof PackageRejected)) throw error;
      problems.push(...error.problems.map((problem) => `"${name}": ${problem}`));
    }
  }
  if (files.size === 0 && problems.length === 0) problems.push('the bundle is empty');
  if (problems.length > 0) throw new PackageRejected(problems);
  return passes;
}
