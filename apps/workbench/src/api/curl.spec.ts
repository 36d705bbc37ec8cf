import { execFileSync } from 'node:child_process';
import { curlOf } from './curl.js';

const url = 'http://localhost:3000/v1/templates';

it('the curl command of a read has the address, and a placeholder for the credential', () => {
  expect(curlOf({ method: 'GET', url, headers: { Authorization: 'Bearer pw_live_secret' } })).toBe(
    `curl '${url}' \\\n  -H "Authorization: Bearer $TOKEN"`,
  );
});

it('the curl command of a write has the method, the content type, the preconditions and the body', () => {
  const headers = { 'Content-Type': 'application/json', 'If-Match': '"3"' };
  expect(curlOf({ method: 'PATCH', url, headers, body: '{"title":"Tea"}' })).toBe(
    [
      `curl -X PATCH '${url}'`,
      "-H 'Content-Type: application/json'",
      `-H 'if-match: "3"'`,
      `-d '{"title":"Tea"}'`,
    ].join(' \\\n  '),
  );
  expect(curlOf({ method: 'POST', url, body: {} })).toBe(`curl '${url}' \\\n  -d '{}'`);
  expect(curlOf({ method: 'DELETE', url })).toBe(`curl -X DELETE '${url}'`);
});

it('curlOf replaces passwords, keys and refresh tokens with placeholders, even in nested objects', () => {
  const body = { email: 'ada@example.com', password: 'a', at: { privateKey: 'b', refreshToken: 'c' } };
  const text = curlOf({ method: 'POST', url, body: JSON.stringify(body) });
  expect(text).toContain('"password":"…","at":{"privateKey":"…","refreshToken":"…"}');
});

it('curlOf names the files of a form', () => {
  const body = new FormData();
  body.set('icon', new File(['x'], 'my icon.png'));
  expect(curlOf({ method: 'POST', url, body })).toBe(`curl '${url}' \\\n  -F 'icon=@my icon.png'`);
});

it('curlOf quotes a body so that a shell does not change it', () => {
  const title = `it's "so" $HOME \`x\` \\ \n é`;
  const body = JSON.stringify({ title });
  const command = curlOf({ method: 'POST', url, body }).replace(/^curl/, 'printf %s');
  const [sent] = execFileSync('sh', ['-c', command])
    .toString()
    .split(/(?=\{"title")/)
    .slice(1);
  expect(JSON.parse(sent ?? '')).toEqual({ title });
});
