import { ApiProperty } from '@nestjs/swagger';
import type { UsersSession } from './sessions.repository.js';

/** One place where the user is signed in. */
export class SessionResponse {
  @ApiProperty({ example: 'ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc' })
  id!: string;

  @ApiProperty({ description: 'The account that it acts on.', example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP' })
  accountId!: string;

  @ApiProperty({ example: 'Analytical Engines' })
  accountName!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was opened.' })
  createdAt!: Date;

  @ApiProperty({ format: 'date-time', description: 'When it was opened or refreshed last.' })
  lastUsedAt!: Date;

  @ApiProperty({ type: String, nullable: true, description: 'From where it was opened or refreshed last.' })
  ip!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the program that opened it calls itself, at most 200 characters.',
    example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  })
  userAgent!: string | null;

  @ApiProperty({ description: 'Whether it is the one of this request.' })
  current!: boolean;
}

/** @param currentId the session of the request */
export function toSessionResponse(session: UsersSession, currentId: string | undefined): SessionResponse {
  const { id, accountId, accountName, createdAt, lastUsedAt, ip, userAgent } = session;
  return { id, accountId, accountName, createdAt, lastUsedAt, ip, userAgent, current: id === currentId };
}
