import { setImmediate } from 'node:timers/promises';
import type { RenderTemplate } from '../model.js';
import { lintRules } from './lint-rules.js';
import type { LintContext, ExaminedImages, ExaminedPass, Facts, Problem, Finding, Rule } from '../finding.js';

const order: readonly Finding['severity'][] = ['error', 'warning', 'info'];
const errorRules = lintRules.filter(({ severity }) => severity === 'error');
const passErrorRules = errorRules.filter((rule) => rule.pass !== undefined);

/**
 * Finds the problems of `pass` and of any other pass of `template`. Phones do not report most of these problems.
 * Returns errors first, then warnings, then infos. Accepts any content, even content that cannot be saved.
 * @param pass null to examine only the template
 * @param images what is known about the images; null if nothing is known
 */
export function examine(
  template: RenderTemplate,
  pass: ExaminedPass | null,
  images: ExaminedImages | null,
  context: LintContext = {},
): Finding[] {
  return inOrder([...findingsByRule(template, pass, { ...context, images })].flat());
}

/** The time in milliseconds after which an examination yields to other work. */
const turn = 5;

/** Returns the findings of `examine`. Yields to other work every few milliseconds. */
export async function examineInTurns(
  ...[template, pass, images, context = {}]: Parameters<typeof examine>
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let started = performance.now();
  for (const found of findingsByRule(template, pass, { ...context, images })) {
    findings.push(...found);
    if (performance.now() - started < turn) continue;
    await setImmediate();
    started = performance.now();
  }
  return inOrder(findings);
}

function* findingsByRule(template: RenderTemplate, pass: ExaminedPass | null, facts: Facts): Generator<Finding[]> {
  for (const rule of lintRules) {
    yield toFindings(rule, 'template', rule.template?.(template, facts));
    if (pass) yield toFindings(rule, 'pass', rule.pass?.(pass, template, facts));
    yield toFindings(rule, 'service', rule.service?.(facts));
  }
}

function inOrder(findings: readonly Finding[]): Finding[] {
  const bySeverity = (finding: Finding) => order.indexOf(finding.severity);
  return withoutEchoes(findings).sort((a, b) => bySeverity(a) - bySeverity(b));
}

/**
 * Returns the messages of the errors that prevent a template from being saved. Returns an empty list if it can be
 * saved.
 */
export function templateProblems(template: RenderTemplate, images: ExaminedImages | null): string[] {
  const facts: Facts = { images };
  return errorRules.flatMap((rule) => problems(rule, rule.template?.(template, facts)));
}

/**
 * Returns the messages of the errors that prevent a pass of `template` from being saved. Ignores the template's errors.
 * Returns an empty list if the pass can be saved.
 */
export function passProblems(template: RenderTemplate, pass: ExaminedPass): string[] {
  const facts: Facts = { images: null };
  return passErrorRules.flatMap((rule) => problems(rule, rule.pass?.(pass, template, facts)));
}

/** Returns one sentence per error. The sentence names the property, the error and the fix. */
function problems(rule: Rule, problems: readonly Problem[] = []): string[] {
  return problems.map(({ path, message, fix = rule.fix }) => {
    return `${message.startsWith(path) ? message : `${path}: ${message}`}; ${fix}`;
  });
}

function toFindings(rule: Rule, document: Finding['in'], violations: readonly Problem[] = []): Finding[] {
  const { id, severity, wallet } = rule;
  return violations.map(({ path, message, fix = rule.fix }) => ({
    rule: id,
    in: document,
    path: path === '' ? '$' : `$.${path}`,
    severity,
    wallet,
    message,
    fix,
  }));
}

/** Removes validation messages about a property if another rule explains the error better. */
function withoutEchoes(findings: readonly Finding[]): Finding[] {
  const placeOf = (finding: Finding) => `${finding.in} ${finding.path}`;
  const isEchoed = (finding: Finding) => finding.rule !== 'refused-property' && finding.severity === 'error';
  const echoed = new Set(findings.filter(isEchoed).map(placeOf));
  return findings.filter((finding) => finding.rule !== 'refused-property' || !echoed.has(placeOf(finding)));
}
