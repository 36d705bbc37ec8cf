import { type Finding, findingsAt } from './findings.js';

const finding = (path: string, severity: Finding['severity'], wallet: Finding['wallet'] = 'all'): Finding => {
  return { rule: 'r', in: 'template', path, severity, wallet, message: `${path} is long`, fix: 'shorten it' };
};

it('a finding is shown at its property and not at one whose name begins alike', () => {
  const findings = [finding('$.title', 'warning', 'walletA'), finding('$.titleColour', 'error')];
  expect(findingsAt(findings, 'template', 'title')).toEqual({
    error: null,
    warning: '$.title is long; shorten it (Apple Wallet)',
  });
});

it('a finding within a list is shown at its item', () => {
  const findings = [finding('$.fields[1].key', 'error'), finding('$.fields[10]', 'error')];
  expect(findingsAt(findings, 'template', 'fields[1]').error).toBe('$.fields[1].key is long; shorten it');
  expect(findingsAt(findings, 'template', 'fields[1].key').error).toContain('[1]');
  expect(findingsAt(findings, 'template', 'fields').error).toContain('[10]');
});

it('findings of a pass are not shown at the template', () => {
  expect(findingsAt([{ ...finding('$.code', 'error'), in: 'pass' }], 'template', 'code').error).toBeNull();
});
