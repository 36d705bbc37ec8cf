import { pythonSample } from './python-sample.js';
import type { ExampleRequest } from './swagger-system.js';

const { fn } = pythonSample() as { fn: { samples: { Python: (request: ExampleRequest) => string } } };
const url = 'http://localhost:3000/v1/templates';

it('the Python sample reads the token from the environment, and sends no body with a GET request', () => {
  const request = { method: 'GET', url, credential: 'Bearer $TOKEN', mediaType: null, body: '' };
  expect(fn.samples.Python(request)).toBe(`import os
import urllib.request

request = urllib.request.Request(
    method="GET",
    url="http://localhost:3000/v1/templates",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`);
});

it('the Python sample sends a JSON body unchanged, and uploads a file for a form', () => {
  const body = '{"title":"Café \\"Ada\\"","voided":true}';
  const json = { method: 'POST', url, credential: null, mediaType: 'application/json', body };
  expect(fn.samples.Python(json)).toContain(`    data=r'''${body}'''.encode(),\n`);
  const form = { ...json, mediaType: 'multipart/form-data', body: '' };
  expect(fn.samples.Python(form)).toContain(`    files={"icon": open("icon.png", "rb")},\n`);
});
