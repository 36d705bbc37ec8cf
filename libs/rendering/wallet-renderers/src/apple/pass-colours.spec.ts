import { anAppleContext, aPass, aTemplate } from '../render.fixtures.js';
import { applePassJson } from './pass-json.js';

const coloursOf = (foregroundColor: string, backgroundColor: string, labelColor: string | null) => {
  const template = aTemplate('offer', { foregroundColor, backgroundColor, labelColor });
  const json = applePassJson(template, aPass('offer'), anAppleContext());
  return [json.foregroundColor, json.backgroundColor, json.labelColor];
};

it('pass.json gives labels the foreground colour if the template has no label colour, because devices would not', () => {
  expect(coloursOf('#abc', '#000', null)).toEqual(['rgb(170, 187, 204)', 'rgb(0, 0, 0)', 'rgb(170, 187, 204)']);
});

it('pass.json blends transparent texts with the background of the pass, and a transparent background with white', () => {
  const half = 'rgba(0, 0, 0, 0.5)';
  expect(coloursOf(half, '#f00', half)).toEqual(['rgb(128, 0, 0)', 'rgb(255, 0, 0)', 'rgb(128, 0, 0)']);
  expect(coloursOf('#fff', half, half)).toEqual(['rgb(255, 255, 255)', 'rgb(128, 128, 128)', 'rgb(64, 64, 64)']);
});
