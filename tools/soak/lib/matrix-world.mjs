/**
 * Two accounts for the matrix of tenants. The first has a resource of every kind. The second has the credentials that
 * try to reach these resources.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { testCertificates } from '@passwright/testing';
import { scopes } from './access-rules.mjs';
import { operate } from './operator.mjs';
import { codeInOutbox } from './outbox.mjs';
import { downloadPass } from './pass-package.mjs';
import { within } from './stage.mjs';
import { smallImage, Tenant } from './tenant.mjs';

const TIMEOUT_SECONDS = 60;

/** A secret in all data that only the account itself may read. A response to a stranger must not contain it. */
export const SECRET = `secret${randomBytes(8).toString('hex')}`;

export class MatrixWorld {
  /** @type {any} A template that requests use as their body. */
  template;

  /** @param environment the node's environment variables, for the operator's command line */
  constructor(stage, node, environment) {
    this.stage = stage;
    this.node = node;
    this.environment = environment;
  }

  async open(receiver) {
    const [owner, other, gone] = await Promise.all(['owner', 'other', 'gone'].map((name) => this.#register(name)));
    this.owner = owner;
    this.other = other;
    await this.#fill(receiver);
    await this.#makeActors(gone);
    return this;
  }

  async #register(name) {
    const tenant = new Tenant(this.node.url);
    tenant.password = `${SECRET}-${name}`;
    tenant.email = `${SECRET}-${name}@example.com`;
    const person = { password: tenant.password, name: `${SECRET} ${name}`, accountName: `${name} account` };
    const { body } = await tenant.call('POST', '/v1/auth/register', { ...person, email: tenant.email });
    Object.assign(tenant, { token: body.accessToken, refreshToken: body.refreshToken, accountId: body.accountId });
    tenant.key = (await tenant.call('POST', '/v1/auth/keys', { name: 'all', scopes })).body;
    return tenant;
  }

  /** Signs a tenant in again and returns the new session. */
  async login({ email, password }) {
    return (await new Tenant(this.node.url).call('POST', '/v1/auth/login', { email, password })).body;
  }

  /** Signs the owner in again if a call has ended the session or changed the e-mail. */
  async renewOwner() {
    const { owner } = this;
    const me = await owner.call('GET', '/v1/auth/me').catch(() => null);
    if (me) return void (owner.email = me.body.email);
    const isChanged = (await owner.try(() => this.login(owner))) !== 200;
    if (isChanged) owner.email = owner.nextEmail;
    owner.token = (await this.login(owner)).accessToken;
  }

  /** Adds a user whom the owner has invited. */
  async #member(name, isAdmin) {
    const user = await this.#register(name);
    await this.owner.call('POST', '/v1/account/invite', { email: user.email, isAdmin });
    await user.call('POST', `/v1/account/invites/${await this.mailedCode('invites', user.email)}/accept`);
    user.token = (await user.call('POST', '/v1/auth/switch', { accountId: this.owner.accountId })).body.accessToken;
    user.uid = (await user.call('GET', '/v1/auth/me')).body.uid;
    return user;
  }

  async #fill(receiver) {
    const { owner } = this;
    const key = new Tenant(this.node.url, { token: owner.key.key });
    const { body: webhook } = await owner.call('POST', '/v1/webhooks', { url: receiver.url, name: `${SECRET} CRM` });
    await owner.save('card');
    await owner.save('club', { type: 'membership', primaryLabel: 'Member' });
    const { body: images } = await owner.upload(await smallImage());
    const { body: pass } = await owner.call('POST', '/v1/pass/card', { id: 'held', metadata: { note: SECRET } });
    const { body: message } = await owner.call('POST', '/v1/templates/card/messages', {
      text: `${SECRET} message`,
      sendAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await key.call('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
    const ada = {
      email: `${randomUUID()}@example.com`,
      name: 'Ada',
      expiry: '2035-12-31T23:00:00.000Z',
      data: { note: SECRET },
    };
    const { body: member } = await key.call('POST', '/v1/memberships/members', ada);
    await owner.call('POST', '/v1/pass/card/held/send', { to: ada.email });
    const authority = testCertificates();
    const made = authority.pass({ passTypeIdentifier: 'pass.com.example.matrix' });
    this.certificate = {
      certificate: made.certificatePem,
      privateKey: made.privateKeyPem,
      intermediate: made.intermediatePem,
    };
    this.person = await this.#member('colleague', true);
    const { body: invite } = await owner.call('POST', '/v1/account/invite', {
      email: `${SECRET}-guest@example.com`,
      isAdmin: true,
    });
    const session = await this.login(owner);
    const events = async () => (await owner.call('GET', `/v1/webhooks/${webhook.id}/deliveries`)).body.data;
    await within(TIMEOUT_SECONDS, async () => (await events()).length > 0);
    this.phone = await downloadPass(this.node.url, pass.walletAUrl);
    this.ids = {
      ...{ accountId: owner.accountId, templateId: 'card', passId: 'held', memberId: String(member.id) },
      ...{ keyId: owner.key.id, uid: this.person.uid, webhookId: webhook.id, code: invite.code },
      ...{ messageId: message.id },
      ...{ sessionId: session.refreshToken.split('.')[1], eventId: (await events())[0].eventId },
      ...{
        file: Object.values(images)[0].split('/').at(-1),
        deviceLibraryIdentifier: randomUUID().replaceAll('-', ''),
      },
      ...this.phone.ids,
      planId: await this.plan(),
    };
    this.email = ada.email;
  }

  /**
   * Calls the MCP tool that plans to void a pass.
   * @returns the id of the plan
   */
  async plan() {
    const { body } = await this.owner.call('POST', '/v1/auth/keys', { name: 'agent', supervised: true });
    const agent = new Client({ name: 'matrix', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${body.key}` } };
    await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', this.node.url), { requestInit }));
    await agent.callTool({ name: 'voidPass', arguments: { templateId: 'card', passId: 'held' } });
    await agent.close();
    return (await this.owner.call('GET', '/v1/account/plans')).body.data[0].id;
  }

  async #makeActors(gone) {
    const { owner, other } = this;
    const makeKey = async (name, chosen) => (await owner.call('POST', '/v1/auth/keys', { name, scopes: chosen })).body;
    const revoked = await makeKey('revoked', scopes);
    await owner.call('DELETE', `/v1/auth/keys/${revoked.id}`);
    const reader = await makeKey(
      'reader',
      scopes.filter((scope) => scope.endsWith(':read')),
    );
    const removed = await this.#member('removed', true);
    await owner.call('DELETE', `/v1/account/members/${removed.uid}`);
    const demoted = await this.#member('demoted', true);
    await owner.call('PATCH', `/v1/account/members/${demoted.uid}`, { isAdmin: false });
    await other.save('theirs');
    const { body: strange } = await other.call('POST', '/v1/pass/theirs', { id: 'held' });
    this.lacking = {};
    for (const scope of scopes) {
      this.lacking[scope] = (
        await makeKey(
          `no ${scope}`,
          scopes.filter((each) => each !== scope),
        )
      ).key;
    }
    this.operator('accounts', 'delete', gone.accountId, '--at-once');
    const ended = async () => (await gone.try(() => gone.call('GET', '/v1/templates'))) === 401;
    const took = await within(TIMEOUT_SECONDS * 2, ended);
    this.stage.check(took !== Infinity, 'a deleted account is still let in');
    this.credentials = {
      ...{ revoked: revoked.key, reader: reader.key, removed: removed.token, demoted: demoted.token },
      ...{
        strangePass: (await downloadPass(this.node.url, strange.walletAUrl)).token,
        gone: gone.token,
        goneKey: gone.key.key,
      },
    };
  }

  operator(...words) {
    return operate(this.environment, ...words);
  }

  mailedCode(page, to) {
    return codeInOutbox([this.environment.DATA_DIR], page, to);
  }
}
