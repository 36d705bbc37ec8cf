import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  DateTime,
  emailForm,
  JsonObject,
  Name,
  OneOf,
  Tagged,
  Text,
  Untouched,
  ValidationFailed,
  versionSuffix,
} from '@passwright/core';
import { type JsonRecord, passLinks, type PassLinks } from '@passwright/passes';
import { addressOf } from './member-passes.service.js';
import { type Member, memberStatuses, type MemberStatus } from './member.entity.js';

export const maxDataLength = 5000;
const maxName = 200;
const dataExample = { tier: 'gold', number: 4711 };
const clearable = { optional: true, nullable: true };

const email = {
  description: 'A single e-mail address, unique in the account regardless of case.',
  example: 'ada@example.com',
  max: 254,
  pattern: emailForm,
  patternHint: 'a single e-mail address, such as ada@example.com',
};
const name = { description: 'The primary value of the pass.', example: 'Ada Lovelace', max: maxName };
const expiry = {
  description: 'The time at which the membership and its pass expire.',
  example: '2030-12-31T23:00:00.000Z',
};
const data = `Free JSON, which the pass never shows. At most ${maxDataLength} characters when serialised.`;

/** Request body that creates a member. */
export class NewMemberRequest {
  @Text(email)
  email!: string;

  @Name(name)
  name!: string;

  @DateTime({
    ...expiry,
    description: `${expiry.description} It must be in the future. Default: no end.`,
    ...clearable,
  })
  expiry?: string | null;

  @OneOf({
    description:
      'The initial status. The pass of a pending member is void until the member is activated. Default: ' + 'pending.',
    values: ['pending', 'active'],
    example: 'active',
    optional: true,
  })
  status?: 'pending' | 'active' | null;

  @JsonObject({ description: data, example: dataExample, maxLength: maxDataLength, ...clearable })
  @Untouched()
  data?: JsonRecord | null;
}

/** A JSON merge patch (RFC 7396) of a member: null clears a property, omitted properties stay. */
export class MemberPatch {
  @Text({ ...email, optional: true })
  email?: string | null;

  @Name({ ...name, optional: true })
  name?: string | null;

  @DateTime({
    ...expiry,
    description: `${expiry.description} A time in the past ends the membership immediately; null removes the end. A new expiry starts the reminders again.`,
    ...clearable,
  })
  expiry?: string | null;

  @JsonObject({
    description: `Merged into the existing data; null removes a property. ${data}`,
    example: { tier: 'silver' },
    // The limit applies to the result. The patch itself may be longer, because it may clear many properties.
    maxLength: 4 * maxDataLength,
    ...clearable,
  })
  @Untouched()
  data?: JsonRecord | null;
}

/** Request body of a renewal. */
export class RenewalRequest {
  @DateTime({
    description:
      'The end of the new term. It must be in the future and later than the current expiry. ' +
      'Null: the membership has no end.',
    example: '2031-12-31T23:00:00.000Z',
    ...clearable,
  })
  expiry?: string | null;
}

class MemberLinks implements PassLinks {
  @ApiProperty({ description: 'The public link to the Apple Wallet package.' })
  walletAUrl!: string;

  @ApiProperty({ description: 'The public Google Wallet save link.' })
  walletBUrl!: string;

  @ApiProperty({ description: 'The public link to the web view.' })
  webUrl!: string;
}

/** A member in responses. Unset properties are omitted. */
export class MemberResponse {
  @ApiProperty({ type: 'integer', minimum: 1, example: 1, description: '1, 2, 3 … in the account; never reused.' })
  id!: number;

  @ApiProperty({ example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' })
  accountId!: string;

  @ApiProperty({ example: 'membership', description: "The template of the member's pass." })
  templateId!: string;

  @ApiProperty({ example: '0qBv1XaJt9mLr4cWnY7sKe', description: "The id of the member's pass." })
  passId!: string;

  @ApiProperty({ example: email.example })
  email!: string;

  @ApiProperty({ example: name.example })
  name!: string;

  @ApiProperty({ type: String, enum: [...memberStatuses], example: 'active' })
  status!: MemberStatus;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: dataExample,
    description: 'Free JSON, which the pass never shows.',
  })
  data!: JsonRecord;

  @ApiPropertyOptional({ format: 'date-time', example: expiry.example })
  expiry?: string;

  @ApiProperty({ format: 'date-time', example: '2026-05-20T10:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', example: '2026-05-20T10:00:00.000Z' })
  updatedAt!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', format: 'date-time' },
    example: { month: '2030-12-01T23:00:00.000Z' },
    description: 'The reminders sent in the current term: key and time of each.',
  })
  remindersSent!: Readonly<Record<string, string>>;

  @ApiProperty({ type: () => MemberLinks, description: "The links to the member's pass." })
  links!: MemberLinks;
}

/** A member and its current status, see `statusAt`. */
export interface MemberNow {
  readonly member: Member;
  readonly status: MemberStatus;
}

export function toMemberResponse({ member, status }: MemberNow, baseUrl: string): MemberResponse {
  const { expiresAt } = member;
  return {
    id: member.id,
    accountId: member.accountId,
    templateId: member.templateId,
    passId: member.passId,
    email: member.email,
    name: member.name,
    status,
    data: member.data,
    ...(expiresAt && { expiry: expiresAt.toISOString() }),
    createdAt: member.createdAt.toISOString(),
    updatedAt: member.updatedAt.toISOString(),
    remindersSent: member.remindersSent,
    links: passLinks(baseUrl, addressOf(member)),
  };
}

/**
 * Returns the entity tag of a member. It includes the status, because an expiry changes the response before the job
 * stores a new version.
 */
export function memberTag({ member, status }: MemberNow): string {
  return `"${member.version}${status === member.status ? '' : `-${status}`}${versionSuffix()}"`;
}

export function taggedMember(read: MemberNow, baseUrl: string): Tagged<MemberResponse> {
  return new Tagged(toMemberResponse(read, baseUrl), memberTag(read));
}

/** Parses the id in a path. @throws ValidationFailed */
export function memberIdOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new ValidationFailed('memberId in the path must be a whole number from 1 on');
}
