import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { GoogleDeliveryResponse } from '@passwright/google-wallet';
import type { Verdict } from './delivery-verdict.js';

const Time = (description: string) => ApiProperty({ type: String, format: 'date-time', description });
const MaybeTime = (description: string) =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, description });
const MaybeText = (description: string, more: ApiPropertyOptions = {}) =>
  ApiProperty({ type: String, nullable: true, description, ...(more as object) });

/** The state of pushes to the account's devices. */
export class PushResponse {
  @ApiProperty({ enum: ['on', 'off', 'halted'] })
  state!: 'on' | 'off' | 'halted';

  @MaybeText('Why the devices are not pushed.')
  reason!: string | null;

  @MaybeTime('The time of the next attempt while pushes are halted.')
  retryAt!: string | null;
}

/** The last push to a device, for any of its passes. */
export class PushedResponse {
  @Time('When the push was sent.')
  at!: string;

  @MaybeText("The push service's id for the push; null if it was not sent.", {
    example: '123e4567-e89b-12d3-a456-42665544000a',
  })
  id!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The push service’s response: 200 means only that it accepted the push.',
    example: 200,
  })
  status!: number | null;

  @MaybeText('Why the push service did not accept the push.', { example: 'ServiceUnavailable' })
  reason!: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of accepted pushes since the device last fetched a pass.',
    example: 1,
  })
  attempts!: number;
}

export class ListedResponse {
  @Time('When the device last requested its changed passes.')
  at!: string;
}

export class FetchedResponse {
  @Time('When the device last requested the pass.')
  at!: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The response: 200, or 304 if the device already had that version.',
    example: 200,
  })
  status!: number | null;

  @Time('The time of the version that the device has.')
  version!: string;
}

/** A log line from a device. It is untrusted text, because anyone can send log lines. */
export class ComplaintResponse {
  @Time('When the line arrived.')
  at!: string;

  @ApiProperty({ description: 'The text from the device, at most 500 characters, without device identifiers.' })
  line!: string;

  @MaybeText('The meaning of the line; null if it is unknown.')
  meaning!: string | null;
}

/** A device and its state for the pass. */
export class DeviceDeliveryResponse {
  @ApiProperty({
    description: 'The service’s id for the device. The device’s own identifier is a secret.',
    example: 'n3K8vQxZ2mT7yLcW5bHf0R',
  })
  deviceId!: string;

  @ApiProperty({ enum: ['up_to_date', 'waiting', 'stale', 'updates_off'] })
  verdict!: Verdict;

  @ApiProperty({ description: 'An explanation of the verdict, and the next step.' })
  explanation!: string;

  @MaybeTime('When the device registered for updates of the pass; null if the device no longer takes updates.')
  registeredAt!: string | null;

  @ApiProperty({
    type: () => PushedResponse,
    nullable: true,
    description: 'The latest push to the device; null before the first.',
  })
  pushed!: PushedResponse | null;

  @ApiProperty({
    type: () => ListedResponse,
    nullable: true,
    description: 'The device’s latest request for changed passes; null before the first.',
  })
  listed!: ListedResponse | null;

  @ApiProperty({
    type: () => FetchedResponse,
    nullable: true,
    description: 'The device’s latest request for the pass; null before the first.',
  })
  fetched!: FetchedResponse | null;

  @ApiProperty({
    type: () => ComplaintResponse,
    isArray: true,
    description: 'Log lines that name the device, newest first.',
  })
  complained!: ComplaintResponse[];

  @MaybeTime('The time of the next push, unless the device fetches the change before.')
  nextPush!: string | null;
}

/** The delivery of a pass's last change to each device. */
export class DeliveryResponse {
  @Time('The time of the current version: the last change of the pass or its template, whichever is later.')
  version!: string;

  @ApiProperty({ type: () => GoogleDeliveryResponse })
  walletB!: GoogleDeliveryResponse;

  @ApiProperty({ type: () => PushResponse })
  push!: PushResponse;

  @ApiProperty({
    type: () => ComplaintResponse,
    isArray: true,
    description: 'Log lines that name no listed device, newest first.',
  })
  complaints!: ComplaintResponse[];

  @ApiProperty({ type: () => DeviceDeliveryResponse, isArray: true })
  devices!: DeviceDeliveryResponse[];

  @MaybeText('Pass it as `cursor` for the next page; null on the last page.')
  nextCursor!: string | null;
}
