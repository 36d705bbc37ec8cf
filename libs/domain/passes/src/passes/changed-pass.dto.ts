import { ApiProperty } from '@nestjs/swagger';
import { Tagged } from '@passwright/core';
import type { ChangeNotices } from '@passwright/wallet-renderers';
import { PassWithLinks, taggedPass } from './pass.dto.js';
import type { IssuedPass } from './passes.repository.js';

class Notification {
  @ApiProperty({
    description: 'Of the field; `_primary` is the primary value.',
    example: 'points',
  })
  key!: string;

  @ApiProperty({ description: 'What the lock screen says.', example: 'Points: 120' })
  message!: string;
}

class Notifications {
  @ApiProperty({ type: () => Notification, isArray: true, description: 'By Apple Wallet.' })
  walletA!: readonly Notification[];

  @ApiProperty({ type: () => Notification, isArray: true, description: 'By Google Wallet.' })
  walletB!: readonly Notification[];
}

/** The answer to a change: the pass as it is now, and what its holders are told of it. */
export class ChangedPassWithLinks extends PassWithLinks {
  @ApiProperty({
    type: () => Notifications,
    description:
      'The lines that this change makes phones show which hold the pass with updates on; whatever else has changed, ' +
      'they take over silently.',
  })
  notifications!: Notifications;
}

/** A pass after a change. */
export interface ChangedPass extends IssuedPass {
  readonly notices: ChangeNotices;
}

/** The answer to a change, with the entity tag of the pass. */
export function taggedChange({ notices, ...issued }: ChangedPass, baseUrl: string): Tagged<ChangedPassWithLinks> {
  const { body, etag } = taggedPass(issued, baseUrl);
  return new Tagged({ ...body, notifications: notices }, etag);
}
