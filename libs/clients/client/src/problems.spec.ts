import { problemsOf } from './index.js';

const names = ['title', 'icon', 'fields', 'email', 'scopes'];

it('problemsOf assigns each sentence to the property whose name it begins with', () => {
  const { at, other } = problemsOf('title must be a string; fields[1].label must be a string', names);
  expect([...at]).toEqual([
    ['title', 'title must be a string'],
    ['fields[1].label', 'fields[1].label must be a string'],
  ]);
  expect(other).toEqual([]);
});

it('problemsOf does not split a sentence that contains a semicolon', () => {
  const { at } = problemsOf(
    'fields[0].key: "a" occurs twice; keys are unique over front and back; icon: too large',
    names,
  );
  expect([...at.values()]).toEqual([
    'fields[0].key: "a" occurs twice; keys are unique over front and back',
    'icon: too large',
  ]);
});

it('problemsOf assigns a sentence about the values of a list to the property of the list', () => {
  const { at } = problemsOf('each value in scopes must be one of a, b; title is empty', names);
  expect([...at.keys()]).toEqual(['scopes', 'title']);
});

it('problemsOf joins two sentences about one property', () => {
  expect(problemsOf('title is empty; title is long', names).at.get('title')).toBe('title is empty; title is long');
});

it('problemsOf does not assign a message about the whole request to a property', () => {
  expect(problemsOf('There is no template "x"; GET /v1/templates lists yours.', names)).toEqual({
    at: new Map(),
    other: ['There is no template "x"; GET /v1/templates lists yours.'],
  });
});
