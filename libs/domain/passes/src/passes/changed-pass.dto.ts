import { ApiProperty } from '@nestjs/swagger';
import { Tagged } from '@passwright/core';
import type { ChangeNotices } from '@passwright/wallet-renderers';
import { PassWithLinks, taggedPass } from '../content/pass.dto.js';
import type { IssuedPass } from '../content/issued-pass.js';

class Notification {
  @ApiProperty({
    description: 'The key of the field; `_primary` is the primary value.',
    example: 'points',
  })
  key!: string;

  @ApiProperty({ description: 'The text on the lock screen.', example: 'Points: 120' })
  message!: string;
}

class Notifications {
  @ApiProperty({ type: () => Notification, isArray: true, description: 'The text that Apple Wallet shows.' })
  walletA!: readonly Notification[];

  @ApiProperty({ type: () => Notification, isArray: true, description: 'The text that Google Wallet shows.' })
  walletB!: readonly Notification[];
}

/** The response to a change: the updated pass and the notices that its holders see. */
export class ChangedPassWithLinks extends PassWithLinks {
  @ApiProperty({
    type: () => Notifications,
    description:
      'The notices that phones with updates enabled show for this change. They apply all other changes ' + 'silently.',
  })
  notifications!: Notifications;
}

/** A changed pass and its notices. */
export interface ChangedPass extends IssuedPass {
  readonly notices: ChangeNotices;
}

/** Returns the response to a change with the entity tag of the pass. */
export function taggedChange({ notices, ...issued }: ChangedPass, baseUrl: string): Tagged<ChangedPassWithLinks> {
  const { body, etag } = taggedPass(issued, baseUrl);
  return new Tagged({ ...body, notifications: notices }, etag);
}
