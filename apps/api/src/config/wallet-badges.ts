import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WalletBadges } from '@passwright/pass-distribution';

/** The artwork of the wallets' buttons, and the problems of files that cannot be used. */
interface FoundBadges {
  readonly badges: WalletBadges;
  readonly problems: readonly string[];
}

/** The maximum size of a file. It is small, because each page contains its artwork. */
const MAX_BYTES = 64 * 1024;
const fileName = /^(apple|google)-([a-z]{2,3}(?:-[a-z0-9]{2,8})*)(\.dark)?\.svg$/i;

/**
 * Reads the artwork of the wallets' buttons from a folder with the files `apple-<language>.svg`,
 * `google-<language>.svg` and, for dark backgrounds, `apple-<language>.dark.svg`. Ignores other files.
 */
export function walletBadges(folder: string): FoundBadges {
  const badges: Record<keyof WalletBadges, Record<string, { url: string; darkUrl?: string }>> = {
    apple: {},
    google: {},
  };
  const problems: string[] = [];
  const problem = (text: string) => problems.push(`WALLET_BADGES ${text}`);
  // Sort the names, so that each file comes before its version for dark backgrounds.
  for (const name of filesOf(folder, problem)) {
    const [, wallet, tag, dark] = fileName.exec(name) ?? [];
    const address = readArtwork(join(folder, name), problem);
    if (wallet === undefined || tag === undefined) {
      problem(`${join(folder, name)} must have a name such as apple-en.svg, google-en.svg or apple-en.dark.svg`);
    } else if (address !== null) {
      const ofWallet = badges[wallet.toLowerCase() as keyof WalletBadges];
      const known = ofWallet[tag.toLowerCase()];
      if (dark === undefined) ofWallet[tag.toLowerCase()] = { url: address };
      else if (known) known.darkUrl = address;
      else problem(`${join(folder, name)} needs ${name.replace(/\.dark/i, '')} beside it, for light backgrounds`);
    }
  }
  return { badges, problems };
}

function filesOf(folder: string, problem: (text: string) => void): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.svg$/i.test(name));
    if (names.length === 0)
      problem(`${folder} has no SVG files; it needs files such as apple-en.svg and google-en.svg`);
    return names.sort((one, other) => stemOf(one).localeCompare(stemOf(other), 'en'));
  } catch (error) {
    problem(`${folder} cannot be read (${codeOf(error)})`);
    return [];
  }
}

const stemOf = (name: string) => name.replace(/\.svg$/i, '');

/** Returns the artwork as a data URL; null if it cannot be used. */
function readArtwork(path: string, problem: (text: string) => void): string | null {
  try {
    if (statSync(path).size > MAX_BYTES) {
      problem(`${path} must be at most 64 KiB, because each page contains it`);
      return null;
    }
    const bytes = readFileSync(path);
    if (/<svg[\s>]/.test(bytes.toString())) return `data:image/svg+xml;base64,${bytes.toString('base64')}`;
    problem(`${path} is not an SVG image`);
  } catch (error) {
    problem(`${path} cannot be read (${codeOf(error)})`);
  }
  return null;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'error';
