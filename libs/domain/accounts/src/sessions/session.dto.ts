import { ApiProperty } from '@nestjs/swagger';
import type { UsersSession } from './sessions.repository.js';

/** A session of the user. */
export class SessionResponse {
  @ApiProperty({ example: 'ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc' })
  id!: string;

  @ApiProperty({ description: 'The account that the session acts on.', example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP' })
  accountId!: string;

  @ApiProperty({ example: 'Analytical Engines' })
  accountName!: string;

  @ApiProperty({ format: 'date-time', description: 'When the session was opened.' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time', description: 'When the session was last opened or refreshed.' })
  lastUsedAt!: Date;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The IP address from which the session was last opened or refreshed.',
  })
  ip!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The user agent of the program that opened the session, at most 200 characters.',
    example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  })
  userAgent!: string | null;

  @ApiProperty({ description: 'Whether this is the session of the request.' })
  current!: boolean;
}

/** Returns the response for a session. @param currentId the id of the current session */
export function toSessionResponse(session: UsersSession, currentId: string | undefined): SessionResponse {
  const { id, accountId, accountName, createdAt, lastUsedAt, ip, userAgent } = session;
  return { id, accountId, accountName, createdAt, lastUsedAt, ip, userAgent, current: id === currentId };
}
