import type { PassKitService } from './passkit-service.js';

/** The lines that a phone sends to `POST /v1/log`, as iOS words them. Each begins with the time in brackets. */
export class LogLines {
  constructor(
    private readonly service: PassKitService,
    private readonly now: () => Date,
  ) {}

  registrationFailed(task: 'Register' | 'Unregister', serialNumber: string, reason: string): string {
    const { deviceLibraryIdentifier: device, passTypeIdentifier: type } = this.service;
    const what = `for device ${device}, pass type ${type}, serial number ${serialNumber}`;
    return this.taskFailed(`${task} task`, what, reason);
  }

  listFailed(reason: string): string {
    const { deviceLibraryIdentifier: device, passTypeIdentifier: type, tag } = this.service;
    const what = `for device ${device}, pass type ${type}, last updated ${tag ?? '(null)'}`;
    return this.taskFailed('Get serial #s task', what, reason);
  }

  passFailed(serialNumber: string, modifiedSince: string | null, reason: string): string {
    const pass = `pass type ${this.service.passTypeIdentifier}, serial number ${serialNumber}`;
    return this.taskFailed('Get pass task', `${pass}, if-modified-since ${modifiedSince ?? '(null)'}`, reason);
  }

  unchanged(serialNumber: string): string {
    return this.serviceError(`Server requested update to serial number '${serialNumber}', but the pass was unchanged.`);
  }

  ignoredModifiedSince(serialNumber: string, modifiedSince: string): string {
    return this.serviceError(
      `Server ignored the 'if-modified-since' header (${modifiedSince}) and returned the full unchanged pass data for serial number '${serialNumber}'.`,
    );
  }

  missingLastModified(serialNumber: string): string {
    return this.serviceError(`Server did not provide a 'last-modified' header for serial number '${serialNumber}'.`);
  }

  missingTag(count: number): string {
    return this.serviceError(
      `Response to 'What changed?' request included ${count} serial numbers but omitted a lastUpdated tag.`,
    );
  }

  sameTag(count: number): string {
    return this.serviceError(
      `Response to 'What changed?' request included ${count} serial numbers but the lastUpdated tag (${this.service.tag}) remained the same.`,
    );
  }

  spuriousPush(): string {
    const { tag, deviceLibraryIdentifier: device } = this.service;
    return this.serviceError(
      `Device received spurious push. Request for passesUpdatedSince '${tag ?? '(null)'}' returned no serial numbers. (Device = ${device})`,
    );
  }

  unregistered(serialNumber: string): string {
    return this.serviceError(`Update requested for unregistered serial number '${serialNumber}'.`);
  }

  private taskFailed(task: string, what: string, reason: string): string {
    return `${this.time} ${task} (${what}; with web service url ${this.service.url}) encountered error: ${reason}`;
  }

  private serviceError(text: string): string {
    return `${this.time} Web service error for ${this.service.passTypeIdentifier} (${this.service.url}): ${text}`;
  }

  private get time(): string {
    const [date, time] = this.now().toISOString().split(/[T.]/);
    return `[${date} ${time} +0000]`;
  }
}

/** Returns the reason of a failure as the log words it. */
export function failureReason(status: number | null, error: string | null): string {
  if (status === null) return error ?? 'No response';
  return status === 401 ? 'Authentication failure' : `Unexpected response code ${status}`;
}
