import { type Finding, findingsAt } from './findings.js';

const finding = (path: string, severity: Finding['severity'], wallet: Finding['wallet'] = 'all'): Finding => {
  return { rule: 'r', in: 'template', path, severity, wallet, message: `${path} is long`, fix: 'shorten it' };
};

it('findingsAt returns the findings of "title", but not those of "titleColour"', () => {
  const findings = [finding('$.title', 'warning', 'walletA'), finding('$.titleColour', 'error')];
  expect(findingsAt(findings, 'title')).toEqual({
    error: null,
    warning: '$.title is long; shorten it (Apple Wallet)',
  });
});

it('findingsAt returns a finding inside a list for its item', () => {
  const findings = [finding('$.fields[1].key', 'error'), finding('$.fields[10]', 'error')];
  expect(findingsAt(findings, 'fields[1]').error).toBe('$.fields[1].key is long; shorten it');
  expect(findingsAt(findings, 'fields[1].key').error).toContain('[1]');
  expect(findingsAt(findings, 'fields').error).toContain('[10]');
});

it('findingsAt for a template omits findings about the pass', () => {
  expect(findingsAt([{ ...finding('$.code', 'error'), in: 'pass' }], 'code').error).toBeNull();
});
