export { Member, memberStatuses, type MemberStatus } from './members/member.entity.js';
export { MembershipsModule } from './memberships.module.js';
export { MembershipsOptions } from './memberships.options.js';
export { MembershipSettings, type Reminder } from './settings/membership-settings.entity.js';
