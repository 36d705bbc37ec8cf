import type { InstalledDevice, LogLine, PassDevice } from '@passwright/apple-wallet';
import type { ComplaintResponse } from './delivery.dto.js';
import { meaningOf } from './log-line-meanings.js';

const mostCharacters = 500;
const mostOfOne = 20;
/** Devices call themselves what they like, by common words too: what is shorter is not looked for. iOS takes 32 characters. */
const leastOfName = 8;

/** What devices complained of. */
export interface Complaints {
  /** By our id of the device that the line names. */
  readonly byDevice: ReadonlyMap<string, ComplaintResponse[]>;
  /** Lines that name none of the devices. */
  readonly others: ComplaintResponse[];
}

/** Sorts lines by the devices that they name; those names are secrets, and are left out. At most 20 of each. */
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

/** Not as a part of a longer word: the line may name another device by that. */
function asWord(name: string): RegExp {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped}(?![\\p{L}\\p{N}_-])`, 'gu');
}

/** iOS writes `(for device <name>, pass type …`: also of devices that are not known any more. */
function withoutNames(line: string, known: InstalledDevice | undefined): string {
  return line.replace(/\bdevice ([^\s,;()]+)/gi, (words, name: string) =>
    name === known?.deviceId ? words : words.replace(name, '…'),
  );
}
