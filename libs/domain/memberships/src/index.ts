export { MemberChangesService } from './members/member-changes.service.js';
export {
  MemberPatch,
  MemberResponse,
  NewMemberRequest,
  RenewalRequest,
  toMemberResponse,
  type MemberNow,
} from './members/member.dto.js';
export { Member, memberStatuses, type MemberStatus } from './members/member.entity.js';
export { MembersQuery } from './members/member-list.dto.js';
export { MemberExists, MemberNotFound } from './members/members.errors.js';
export { MembersService, type NewMember } from './members/members.service.js';
export { MembershipsModule } from './memberships.module.js';
export { MembershipsOptions } from './memberships.options.js';
export { MembershipSettings, type Reminder } from './settings/membership-settings.entity.js';
export { MembershipSettingsRequest, MembershipSettingsResponse } from './settings/settings.dto.js';
export { MembershipsNotSetUp, NoMembershipSettings } from './settings/settings.errors.js';
export { SettingsService } from './settings/settings.service.js';
