/** The variables that a response sets, each with the path of its value in the body. */
type Stored = Readonly<Record<string, string>>;

const tokens: Stored = { accessToken: 'accessToken', refreshToken: 'refreshToken', accountId: 'accountId' };

/** The variables that the responses of operations set, so that the next requests can use them. */
export const storedValues: Readonly<Record<string, Stored>> = {
  register: tokens,
  login: tokens,
  refreshTokens: tokens,
  switchAccount: tokens,
  createApiKey: { key: 'key', keyId: 'id' },
  rotateApiKey: { key: 'key' },
  upsertTemplate: { templateId: 'id' },
  createPass: { passId: 'pass.id' },
  createMember: { memberId: 'id' },
  createWebhook: { webhookId: 'id' },
  createTemplateMessage: { messageId: 'id' },
};

/** Returns the lines of the script with which Postman stores these values. */
export function storingScript(stored: Stored): string[] {
  const lines = Object.entries(stored).map(
    ([variable, path]) => `  pm.collectionVariables.set('${variable}', body.${path});`,
  );
  return ['if (pm.response.code < 300) {', '  const body = pm.response.json();', ...lines, '}'];
}
