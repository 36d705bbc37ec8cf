import * as memberships from './index.js';

it('the lib exports these names and no others', () => {
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
