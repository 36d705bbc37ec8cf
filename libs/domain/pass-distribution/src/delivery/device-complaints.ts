import type { InstalledDevice, LogLine, PassDevice } from '@passwright/apple-wallet';
import type { ComplaintResponse } from './delivery.dto.js';
import { meaningOf } from './log-line-meanings.js';

const mostCharacters = 500;
const mostOfOne = 20;
/**
 * Minimum length of a device identifier for the search in log lines. Devices choose their identifiers, so a short
 * identifier could be a common word. iOS uses 32 characters.
 */
const leastOfName = 8;

/** The log lines of a pass's devices. */
export interface Complaints {
  /** Lines that name a known device, by the service's id for the device. */
  readonly byDevice: ReadonlyMap<string, ComplaintResponse[]>;
  /** Lines that do not name a known device. */
  readonly others: ComplaintResponse[];
}

/**
 * Groups log lines by the device that they name, with at most 20 lines per device. Removes the identifiers, because
 * they are secrets.
 */
export function sortedComplaints(lines: readonly LogLine[], devices: readonly PassDevice[]): Complaints {
  const byDevice = new Map<string, ComplaintResponse[]>();
  const others: ComplaintResponse[] = [];
  const installed = devices.filter((device): device is InstalledDevice => 'deviceLibraryIdentifier' in device);
  const named = installed.flatMap((device) => {
    const { deviceLibraryIdentifier: name } = device;
    return name.length < leastOfName ? [] : [{ device, name: asWord(name) }];
  });
  for (const { line, receivedAt } of lines) {
    const found = named.find(({ name }) => line.search(name) >= 0);
    const device = found?.device;
    const text = withoutNames(found ? line.replace(found.name, () => found.device.deviceId) : line, device);
    const complaint = {
      at: receivedAt.toISOString(),
      line: text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text,
      meaning: meaningOf(line),
    };
    const list = device ? (byDevice.get(device.deviceId) ?? []) : others;
    if (device) byDevice.set(device.deviceId, list);
    if (list.length < mostOfOne) list.push(complaint);
  }
  return { byDevice, others };
}

/** Matches an identifier only as a whole word, because a longer word may be another device's identifier. */
function asWord(name: string): RegExp {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'gu');
}

/** Removes device identifiers, even those of unknown devices. iOS writes `(for device <name>, pass type …`. */
function withoutNames(line: string, known: InstalledDevice | undefined): string {
  return line.replace(/\bdevice ([^\s,;()]+)/gi, (words, name: string) =>
    name === known?.deviceId ? words : words.replace(name, '…'),
  );
}
