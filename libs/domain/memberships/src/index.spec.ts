import * as memberships from './index.js';

it('the package exports exactly these names', () => {
  expect(Object.keys(memberships).sort()).toMatchInlineSnapshot(`
    [
      "Member",
      "MemberChangesService",
      "MemberExists",
      "MemberNotFound",
      "MemberPatch",
      "MemberResponse",
      "MembersQuery",
      "MembersService",
      "MembershipSettings",
      "MembershipSettingsRequest",
      "MembershipSettingsResponse",
      "MembershipsModule",
      "MembershipsNotSetUp",
      "MembershipsOptions",
      "NewMemberRequest",
      "NoMembershipSettings",
      "RenewalRequest",
      "SettingsService",
      "memberStatuses",
      "toMemberResponse",
    ]
  `);
});
