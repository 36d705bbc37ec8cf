/**
 * npm run seed: fills a running service with example accounts and prints their logins. A second run adds what is
 * missing and leaves the rest unchanged.
 */
import { build, install } from '../install.mjs';
import { accounts, password } from './content.mjs';

// A program that reads the output, such as `head`, may end early. The seed still completes.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
const baseUrl = (process.env.BASE_URL ?? 'http://localhost:3000').replace(/\/+$/, '');
install();
build('@passwright/client');
const { ConnectionFailed, EmailTaken, InvalidTransition, MemberExists, Passwright, PasswrightError, Unauthorized } =
  await import('@passwright/client');
const open = new Passwright({ baseUrl });

try {
  for (const account of accounts(`${baseUrl}/images/samples`)) await seed(account);
} catch (error) {
  if (!(error instanceof PasswrightError)) throw error;
  console.error(`\n  ${advice(error)}\n`);
  process.exit(1);
}

async function seed(account) {
  const { admin, reader, templates, passes, redeemed = {}, memberships, webhook, messages = {} } = account;
  const user = new Passwright({ baseUrl, token: await signIn(admin, account.name) });
  const key = await newKey(user);
  const passwright = new Passwright({ baseUrl, token: key });
  for (const [templateId, body] of Object.entries(templates)) await passwright.upsertTemplate({ templateId, body });
  for (const [templateId, bodies] of Object.entries(passes)) {
    for await (const { error } of passwright.createPassesFrom({ templateId, existing: 'skip' }, bodies)) {
      if (error) throw new Error(`A pass of ${templateId} was rejected: ${error.message}`);
    }
  }
  for (const [templateId, passIds] of Object.entries(redeemed)) {
    for (const passId of passIds) await unless(InvalidTransition, passwright.redeemPass({ templateId, passId }));
  }
  if (memberships) await seedMembers(passwright, memberships);
  if (webhook) await addWebhook(user, webhook);
  await sendMessages(passwright, messages);
  if (reader) await join(user, reader);
  await report(passwright, key, account);
}

/** Returns the access token of an admin. On the first run, registers the admin and the account. */
async function signIn({ email, name }, accountName) {
  const tokens =
    (await unless(EmailTaken, open.register({ body: { email, name, password, accountName } }))) ??
    (await open.login({ body: { email, password } }));
  return tokens.accessToken;
}

/** Creates an API key and revokes the key of an earlier run. */
async function newKey(user) {
  for await (const { id, name } of user.each('listApiKeys'))
    if (name === 'seed') await user.revokeApiKey({ keyId: id });
  return (await user.createApiKey({ body: { name: 'seed' } })).key;
}

async function seedMembers(passwright, { settings, members }) {
  await passwright.putMembershipSettings({ body: settings });
  for (const { operation, ...body } of members) {
    const member = await unless(MemberExists, passwright.createMember({ body }));
    if (member && operation) await passwright[operation]({ memberId: member.id });
  }
}

async function addWebhook(user, body) {
  for await (const { name } of user.each('listWebhooks')) if (name === body.name) return;
  await user.createWebhook({ body });
}

async function sendMessages(passwright, messages) {
  const topics = new Set();
  for await (const { topic } of passwright.each('listMessages')) topics.add(topic);
  for (const [templateId, body] of Object.entries(messages)) {
    if (!topics.has(body.topic)) await passwright.createTemplateMessage({ templateId, body });
  }
}

/** Adds a person to the account as a reader. */
async function join(admin, { email, name }) {
  const known = await unless(Unauthorized, open.login({ body: { email, password } }));
  if (known) return;
  const { code } = await admin.inviteUser({ body: { email } });
  await open.acceptInvite({ code, body: { name, password } });
}

async function report(passwright, key, { name, admin, reader, passes, memberships }) {
  console.log(`\n  ${name}`);
  console.log(`    Admin      ${admin.email}   password: ${password}`);
  if (reader) console.log(`    Reader     ${reader.email}   password: ${password}`);
  console.log(`    API key    ${key}`);
  for (const [templateId, bodies] of Object.entries(passes)) {
    const { webUrl } = await passwright.getPass({ templateId, passId: bodies[0].id });
    const unit = (bodies.length === 1 ? 'pass' : 'passes').padEnd(6);
    console.log(`    ${templateId.padEnd(15)}${String(bodies.length).padStart(4)} ${unit}   ${webUrl}`);
  }
  if (memberships) console.log(`    members        ${String(memberships.members.length).padStart(4)}`);
}

/**
 * Makes a call, and ignores one known rejection.
 * @returns the response, or undefined if the call was rejected
 */
async function unless(rejection, call) {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof rejection)) throw error;
  }
}

function advice(error) {
  if (error instanceof ConnectionFailed) return `Nothing responds at ${baseUrl}. Start the service first: npm run dev`;
  if (error instanceof Unauthorized) return 'The seeded people are there with another password; seed an empty service.';
  return `${error.code}: ${error.message}`;
}
