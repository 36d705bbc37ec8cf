// The scopes and the kind of caller that each operation requires. They come from the documents and not from the code.

const nouns = ['templates', 'passes', 'members', 'account'];
export const scopes = nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`]);
const reads = nouns.map((noun) => `${noun}:read`);

/**
 * The access rules. The first rule that matches `METHOD path` applies. A rule lists the scopes. If it also has `user`
 * or `key`, no other kind of credential is accepted. @type {[RegExp, string[], string?][]}
 */
const rules = [
  [/ \/v1\/auth\/keys/, ['account:write']],
  [/ \/v1\/auth\//, [], 'user'],
  [/^GET \/v1\/account(\/usage(\/days)?|\/walletA|\/walletB|\/messages)?$/, ['account:read']],
  // Every user may leave an account.
  [/^DELETE \/v1\/account\/members\//, ['account:read']],
  [/^DELETE \/v1\/account(\/deletion)?$/, ['account:write'], 'user'],
  [/^GET \/v1\/webhooks/, ['account:read']],
  [/^GET \/v1\/account\/export$/, ['account:write', ...reads]],
  [/ \/v1\/privacy\/export$/, ['account:write', 'passes:read', 'members:read']],
  [/ \/v1\/privacy\/erase$/, ['account:write', 'passes:write', 'members:write']],
  [/ \/v1\/account\/plans/, [], 'user'],
  [/ \/v1\/(account|webhooks)/, ['account:write']],
  [/^GET \/v1\/memberships\//, ['members:read'], 'key'],
  [/ \/v1\/memberships\//, ['members:write'], 'key'],
  [/ \/v1\/templates\/[^/]+\/messages\/dry-run$|^GET \/v1\/messages/, ['passes:read']],
  [/ \/v1\/templates\/[^/]+\/messages$| \/v1\/messages/, ['passes:write']],
  [/^GET \/v1\/templates|\/templates\/[^/]+\/(lint|preview)$/, ['templates:read']],
  [/ \/v1\/templates/, ['templates:write']],
  [/^GET \/v1\/pass\//, ['passes:read']],
  [/ \/v1\/pass\//, ['passes:write']],
];

/**
 * Returns the scopes and the kind of caller that an operation requires.
 * @throws Error for an operation that matches no rule
 */
export function needOf({ name }) {
  const rule = rules.find(([form]) => form.test(name));
  if (!rule) throw new Error(`${name} fits no rule: say in lib/access-rules.mjs who may call it`);
  return { scopes: rule[1], caller: rule[2] ?? 'anyone' };
}
