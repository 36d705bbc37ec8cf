import type { InstalledDevice, LogLine, PassDevice } from './delivery.repository.js';
import type { ComplaintResponse } from './delivery.dto.js';
import { meaningOf } from './log-line-meanings.js';

const mostCharacters = 500;
const mostOfOne = 20;

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
  for (const { line, receivedAt } of lines) {
    const device = installed.find(({ deviceLibraryIdentifier }) => line.includes(deviceLibraryIdentifier));
    const text = withoutNames(device ? line.replaceAll(device.deviceLibraryIdentifier, device.deviceId) : line, device);
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

/** iOS writes `(for device <name>, pass type …`: also of devices that are not known any more. */
function withoutNames(line: string, known: InstalledDevice | undefined): string {
  return line.replace(/\bdevice ([^\s,;()]+)/gi, (words, name: string) =>
    name === known?.deviceId ? words : words.replace(name, '…'),
  );
}
