import type { RenderTemplate } from '../model.js';
import { doctorRules } from './doctor-rules.js';
import type { DoctorContext, ExaminedImages, ExaminedPass, Facts, Fault, Finding, Rule } from './finding.js';

const order: readonly Finding['severity'][] = ['error', 'warning', 'info'];
const errorRules = doctorRules.filter(({ severity }) => severity === 'error');

/**
 * What would go wrong, mostly in silence, with passes of `template` and with this one of them: errors first, then
 * warnings, then what is worth knowing. Takes content of any kind, also such as a save refuses.
 * @param pass null looks at the template alone
 * @param images what is known of the images; null when nothing is
 */
export function examine(
  template: RenderTemplate,
  pass: ExaminedPass | null,
  images: ExaminedImages | null,
  context: DoctorContext = {},
): Finding[] {
  const facts: Facts = { ...context, images };
  const findings = doctorRules.flatMap((rule) => [
    ...toFindings(rule, 'template', rule.template?.(template, facts)),
    ...(pass ? toFindings(rule, 'pass', rule.pass?.(pass, template, facts)) : []),
    ...toFindings(rule, 'service', rule.service?.(facts)),
  ]);
  const bySeverity = (finding: Finding) => order.indexOf(finding.severity);
  return withoutEchoes(findings).sort((a, b) => bySeverity(a) - bySeverity(b));
}

/** The sentences to refuse a template with: its errors. Empty when it can be saved. */
export function templateProblems(template: RenderTemplate, images: ExaminedImages | null): string[] {
  return errorRules.flatMap((rule) => problems(rule, rule.template?.(template, { images })));
}

/** The sentences to refuse a pass of `template` with: its own errors, not its template's. Empty when it can be saved. */
export function passProblems(template: RenderTemplate, pass: ExaminedPass): string[] {
  return errorRules.flatMap((rule) => problems(rule, rule.pass?.(pass, template, { images: null })));
}

/** For each fault a sentence that names the property, what is wrong and what would be right. */
function problems(rule: Rule, faults: readonly Fault[] = []): string[] {
  return faults.map(({ path, message, fix = rule.fix }) => {
    return `${message.startsWith(path) ? message : `${path}: ${message}`}; ${fix}`;
  });
}

function toFindings(rule: Rule, document: Finding['in'], faults: readonly Fault[] = []): Finding[] {
  const { id, severity, wallet } = rule;
  return faults.map(({ path, message, fix = rule.fix }) => ({
    rule: id,
    in: document,
    path: path === '' ? '$' : `$.${path}`,
    severity,
    wallet,
    message,
    fix,
  }));
}

/** A property that is refused for its form often breaks a rule with a better word for it; one finding is enough. */
function withoutEchoes(findings: readonly Finding[]): Finding[] {
  const isEcho = (finding: Finding) =>
    finding.rule === 'refused-property' &&
    findings.some(
      (other) =>
        other.rule !== 'refused-property' &&
        other.severity === 'error' &&
        other.in === finding.in &&
        other.path === finding.path,
    );
  return findings.filter((finding) => !isEcho(finding));
}
