/**
 * The requests of the matrix that cannot be built from the document's examples. They need bodies that name the victim's
 * resources, or preparations by the rightful caller.
 */
import { randomUUID } from 'node:crypto';
import { smallImage } from './tenant.mjs';

const anEmail = () => `${randomUUID()}@example.com`;
const form = (values) => ({ type: 'application/x-www-form-urlencoded', body: new URLSearchParams(values).toString() });
const json = (body) => ({ body });

/**
 * The bodies by operation. All other bodies come from the examples. `world.rightful` contains values that only the
 * rightful caller knows.
 */
export const bodies = {
  acceptInvite: () => json({ name: 'Guest', password: 'correct horse battery staple' }),
  changeEmail: ({ owner }, isRightful) => json({ email: anEmail(), password: isRightful ? owner.password : 'wrong' }),
  changePassword: ({ owner }, isRightful) =>
    isRightful
      ? json({ currentPassword: owner.password, newPassword: (owner.password += 'x') })
      : json({ currentPassword: 'wrong one', newPassword: 'another one' }),
  confirmEmail: (_, __, code = 'made-up') => json({ code }),
  createPass: () => json({}),
  createPassMessage: () => json({ text: 'Hello' }),
  createTemplateMessage: () => json({ text: 'Hello', sendAt: new Date(Date.now() + 3_600_000).toISOString() }),
  dryRunTemplateMessage: () => json({ text: 'Hello' }),
  createPasses: () => ({ type: 'application/x-ndjson', body: '{}\n' }),
  createMember: () => json({ email: anEmail(), name: 'Grace' }),
  createWebhook: () => json({}),
  deleteAccount: ({ owner }, isRightful) => json({ password: isRightful ? owner.password : 'wrong one' }),
  eraseHolder: ({ email }) => json({ email }),
  exportHolder: ({ email }) => json({ email }),
  importMembers: () => ({ type: 'application/x-ndjson', body: `{"email":"${anEmail()}","name":"Grace"}\n` }),
  inviteUser: () => json({ email: anEmail() }),
  lintTemplate: () => json({}),
  login: ({ owner }, isRightful) => json({ email: owner.email, password: isRightful ? owner.password : 'wrong one' }),
  logout: ({ spare }, isRightful) => json({ refreshToken: isRightful ? spare.refreshToken : 'made-up' }),
  putMessageSettings: () => json({ timeZone: 'Europe/Berlin' }),
  putMembershipSettings: () => json({ templateId: 'club', reminders: [] }),
  refreshTokens: ({ spare }, isRightful) => json({ refreshToken: isRightful ? spare.refreshToken : 'made-up' }),
  register: () => json({ email: anEmail(), password: randomUUID(), name: 'New', accountName: 'New' }),
  registerDevice: () => json({ pushToken: 'a'.repeat(64) }),
  renewMember: () => json({ expiry: '2040-12-31T23:00:00.000Z' }),
  resetPassword: ({ owner }, isRightful, code = 'made-up') =>
    json({ code, password: isRightful ? owner.password : 'x'.repeat(12) }),
  rotateWebhookSecret: () => json({}),
  replayWebhookDeliveries: () => json({ since: new Date(Date.now() - 3_600_000).toISOString(), status: 'delivered' }),
  saveAppleCertificate: ({ certificate }) => json(certificate),
  sendEmailConfirmation: (_, __, code = 'made-up') => form({ code }),
  sendForgotPassword: () => form({ email: anEmail() }),
  sendInvitePage: () => form({ name: 'Guest', password: 'correct horse battery staple' }),
  sendPass: () => json({ to: anEmail() }),
  sendPasswordReset: ({ owner }, isRightful, code = 'made-up') =>
    form({ code, password: isRightful ? owner.password : 'x'.repeat(12) }),
  forgotPassword: () => json({ email: anEmail() }),
  switchAccount: ({ owner }) => json({ accountId: owner.accountId }),
  updateAccountMember: () => json({ isAdmin: false }),
  updateMember: () => json({ data: { seen: true } }),
  updatePass: () => json({ metadata: { seen: true } }),
  updatePassMetadata: () => json({ metadata: { seen: true } }),
  updateWebhook: () => json({ name: 'Changed' }),
  upsertPass: () => json({ metadata: { seen: true } }),
  upsertTemplate: ({ template }) => json(template),
  uploadTemplateImages: async () => {
    const head =
      '--x\r\nContent-Disposition: form-data; name="icon"; filename="i.png"\r\nContent-Type: image/png\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), await smallImage(), Buffer.from('\r\n--x--\r\n')]);
    return { type: 'multipart/form-data; boundary=x', body };
  },
};

/** The query strings of operations that would respond with 400 without them. */
export const queries = {
  getAppleBundle: ({ ids }) => `?pass=${ids.templateId}:${ids.passId}`,
  getBundlePage: ({ ids }) => `?pass=${ids.templateId}:${ids.passId}`,
  getGoogleBundle: ({ ids }) => `?pass=${ids.templateId}:${ids.passId}`,
};

/** Operations that create a resource in the caller's own account if the caller has none with the given id. */
export const ownThings = ['upsertTemplate', 'uploadTemplateImages'];

/**
 * Operations whose links work without credentials. They may show data of the account: an invitation, for example, names
 * its recipient.
 */
export const publicLinks = ['getInvite', 'showInvitePage'];

/** The statuses that even the rightful caller gets, because a feature is switched off in this installation. */
export const unavailable = {
  startSignIn: 404,
  completeSignIn: 404,
  confirmSignIn: 404,
  redeemSignInCode: 404,
  receivePaymentEvent: 404,
  receiveGoogleCallback: 400,
  saveGoogleServiceAccount: 400,
  deleteGoogleServiceAccount: 404,
};

/** Functions that return the codes that the rightful caller gets by mail. */
const codeOf = {
  async password(world) {
    const { email } = (await world.owner.call('GET', '/v1/auth/me')).body;
    await world.owner.call('POST', '/v1/auth/password/forgot', { email });
    return world.mailedCode('password/reset', email);
  },
  async email(world) {
    const email = anEmail();
    await world.owner.call('POST', '/v1/auth/email', { email, password: world.owner.password });
    const code = await world.mailedCode('email/confirm', email);
    world.owner.nextEmail = email;
    return code;
  },
  async invite(world) {
    const email = anEmail();
    await world.owner.call('POST', '/v1/account/invite', { email });
    return world.mailedCode('invites', email);
  },
};
const mailed = (kind) => async (world) => ({ code: await codeOf[kind](world) });
const transition = (path) => async (world) => {
  await world.owner.call('POST', `/v1/pass/card/held${path}`);
};
const planned = async (world) => ({ planId: await world.plan() });
const asKey = ({ owner, node }, method, path, body) =>
  new owner.constructor(node.url, { token: owner.key.key }).call(method, path, body);

/** Functions that prepare a request. Some of them return a code to use instead of the usual code. */
export const preparations = {
  getSampleImage: () => ({ file: 'icon.png' }),
  acceptInvite: mailed('invite'),
  sendInvitePage: mailed('invite'),
  showInvitePage: mailed('invite'),
  resetPassword: mailed('password'),
  sendPasswordReset: mailed('password'),
  showPasswordReset: mailed('password'),
  confirmEmail: mailed('email'),
  sendEmailConfirmation: mailed('email'),
  showEmailConfirmation: mailed('email'),
  getAgentPlan: planned,
  confirmAgentPlan: planned,
  rejectAgentPlan: planned,
  unvoidPass: transition('/void'),
  voidPass: (world) => world.owner.try(() => world.owner.call('POST', '/v1/pass/card/held/unvoid')),
  redeemPass: (world) => world.owner.try(() => world.owner.call('POST', '/v1/pass/card/held/unvoid')),
  deleteTemplate: async (world) => {
    await world.owner.save('last');
    return { templateId: 'last' };
  },
  deleteMember: async (world) => {
    const { body } = await asKey(world, 'POST', '/v1/memberships/members', { email: anEmail(), name: 'Grace' });
    return { memberId: String(body.id) };
  },
  revokeSession: async (world) => ({ sessionId: (await world.login(world.owner)).refreshToken.split('.')[1] }),
  suspendMember: (world) =>
    world.owner.try(() => asKey(world, 'POST', `/v1/memberships/members/${world.ids.memberId}/activate`)),
  renewMember: (world) =>
    world.owner.try(() => asKey(world, 'POST', `/v1/memberships/members/${world.ids.memberId}/activate`)),
};

/** These operations run last, in this order, because they end something that the others need. */
export const last = [
  ...['unregisterDevice', 'cancelMessage'],
  ...['redeemPass', 'deletePass', 'activateMember', 'suspendMember', 'renewMember', 'cancelMember'],
  ...['eraseHolder', 'deleteMember', 'deleteWebhook', 'revokeInvite', 'deleteTemplate', 'removeAccountMember'],
  ...['deleteAppleCertificate', 'revokeSession', 'refreshTokens', 'logout', 'revokeOtherSessions'],
  ...['rotateApiKey', 'revokeApiKey', 'deleteAccount', 'keepAccount'],
];
