import { argumentProblems, messageForAgent } from './tool-errors.js';
import type { Tool } from './tools.js';

const tool = (name: string, method: string, path: string, input = {}) =>
  ({ name, method, path, bodyType: null, headerNames: {}, input: { properties: {}, ...input } }) as unknown as Tool;

const createPass = tool('createPass', 'POST', '/v1/pass/{templateId}', {
  properties: { templateId: {}, body: { $ref: '#/$defs/PassRequest' } },
  $defs: {
    PassRequest: {
      properties: { code: {}, templateId: {}, fields: { anyOf: [{ items: { $ref: '#/$defs/Field' } }, {}] } },
    },
    Field: { properties: { key: {}, value: {} } },
  },
});
const tools = [createPass, tool('listTemplates', 'GET', '/v1/templates'), tool('getPass', 'GET', '/v1/pass/{t}/{p}')];
const said = (message: string, code = 'not_found') => messageForAgent(message, code, createPass, tools);

it('messageForAgent names the tool of a route, or says that the route has no tool', () => {
  expect(said('There is no template "x"; GET /v1/templates lists those there are.')).toBe(
    'There is no template "x"; listTemplates lists those there are.',
  );
  expect(said('Read it again (GET /v1/pass/offer/ada), or see GET /v1/pass/{templateId}/{passId}.')).toBe(
    'Read it again (getPass), or see getPass.',
  );
  expect(said('The template is archived; un-archive it first: POST /v1/templates/x/unarchive.')).toBe(
    'The template is archived; un-archive it first: POST /v1/templates/x/unarchive. No tool calls this route: ask the ' +
      'person you work for.',
  );
  expect(said('See GET /v1/templates or POST /v1/templates')).toMatch(/listTemplates or POST .*\. No tool calls/);
});

it('messageForAgent puts the argument before the name of a body property, as in body.code', () => {
  expect(said('code must be a text; colour is not known here; templateId is wrong', 'validation_failed')).toBe(
    'body.code must be a text; body.colour is not known here; templateId is wrong; ' +
      'body of createPass takes code, templateId, fields',
  );
  expect(said('templateId is not known here; body is not known here', 'validation_failed')).toBe(
    'body.templateId is not known here; body.body is not known here; body of createPass takes code, templateId, fields',
  );
  expect(said('the body must be a JSON object', 'validation_failed')).toBe('the body must be a JSON object');
  expect(said('code is taken', 'pass_exists')).toBe('code is taken');
});

it('messageForAgent lists the known properties of an object once, even for several unknown ones', () => {
  const wrong = 'fields[1].lable is not known here; fields[1].vale is not known here; a.b is not known here';
  expect(said(wrong, 'validation_failed')).toBe(
    'body.fields[1].lable is not known here; body.fields[1].vale is not known here; body.a.b is not known here; ' +
      'body.fields[1] of createPass takes key, value',
  );
  const other = 'colour is not known here: only templates of type event have it';
  expect(said(other, 'validation_failed')).toBe(`body.${other}`);
});

it('argumentProblems reports a body that is not an object, such as JSON in a text', () => {
  const create = { ...createPass, bodyType: 'application/json' };
  for (const body of ['{"code":"a"}', [], 5, null]) {
    expect(argumentProblems(create, { templateId: 'offer', body })).toEqual([
      'body must be an object, not its JSON as text',
    ]);
  }
  expect(argumentProblems(create, { templateId: 'offer', body: {} })).toEqual([]);
  expect(argumentProblems(create, { templateId: 'offer' })).toEqual([]);
});
