import { samplesOf } from './request-samples.js';

const at = (path: string) => `http://localhost:3000${path}`;

it('samplesOf writes a call of the client with the parameters of the path and the query', () => {
  const { client, yaml } = samplesOf({ method: 'GET', url: at('/v1/pass/gold%20club?limit=25&voided=true&code=A-1') });
  expect(client).toBe(`import { Passwright } from '@passwright/client';

const passwright = new Passwright({ baseUrl: 'http://localhost:3000', token: process.env.TOKEN });
const result = await passwright.listPasses({
  templateId: 'gold club',
  limit: 25,
  voided: true,
  code: 'A-1',
});
`);
  expect(yaml).toBeNull();
});

it('samplesOf writes a change with its body and precondition as code, and the body alone as YAML', () => {
  const body = JSON.stringify({ title: "Ada's club" });
  const headers = { 'If-Match': '"3"' };
  const { client, yaml } = samplesOf({ method: 'POST', url: at('/v1/templates/club'), headers, body });
  expect(client).toContain(`await passwright.upsertTemplate({
  templateId: 'club',
  body: {
    title: 'Ada\\'s club',
  },
  ifMatch: '"3"',
});`);
  expect(yaml).toBe("title: Ada's club\n");
});

it('samplesOf prefers the operation with fewer parameters, and keeps the path prefix of a proxy', () => {
  const { client } = samplesOf({ method: 'GET', url: at('/wallet/v1/account/messages') });
  expect(client).toContain('await passwright.getMessageSettings();');
  expect(client).toContain("baseUrl: 'http://localhost:3000/wallet'");
});

it('samplesOf passes a form in an upload, and returns no code for addresses outside the API', () => {
  const body = new FormData();
  body.set('icon', new File(['x'], 'icon.png'));
  const { client, yaml } = samplesOf({ method: 'POST', url: at('/v1/templates/club/images'), body });
  expect(client).toContain('body: form,');
  expect(yaml).toBeNull();
  expect(samplesOf({ method: 'GET', url: at('/docs') }).client).toBeNull();
});

it('samplesOf names a file for the lines of an import, and does not copy the lines', () => {
  const url = at('/v1/pass/club/batch?existing=skip');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const { curl, client, yaml } = samplesOf({ method: 'POST', url, headers, body: '{"id":"a"}\n{"id":"b"}\n' });
  expect(curl).toBe(`curl '${url}' \\\n  -H 'Content-Type: application/x-ndjson' \\\n  --data-binary @lines.ndjson`);
  expect(client).toContain(`of passwright.createPassesFrom({
  templateId: 'club',
  existing: 'skip',
}, lines)) console.log(line);`);
  expect(yaml).toBeNull();
});

it('samplesOf hides the code of a sign-in, and shows the code of a pass', () => {
  const body = { code: 'A-1' };
  const signIn = samplesOf({ method: 'POST', url: at('/v1/auth/oidc/token'), body });
  for (const text of Object.values(signIn)) expect(text).not.toContain('A-1');
  const pass = samplesOf({ method: 'POST', url: at('/v1/pass/club'), body });
  for (const text of Object.values(pass)) expect(text).toContain('A-1');
});
