import { ApiProperty } from '@nestjs/swagger';
import { Tagged } from '@passwright/core';
import { type ChangeNotices, Notifications, toNotifications } from '@passwright/templates';
import { PassWithLinks, taggedPass } from '../content/pass-with-links.dto.js';
import type { IssuedPass } from '../content/issued-pass.js';

/** The response to a change: the updated pass and the notices that its holders see. */
export class ChangedPassWithLinks extends PassWithLinks {
  @ApiProperty({
    type: () => Notifications,
    description: 'The notifications that holders see for this change. All other changes are silent.',
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
  return new Tagged(Object.assign(body, { notifications: toNotifications(notices) }), etag);
}
