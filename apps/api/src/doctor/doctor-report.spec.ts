import { stripVTControlCharacters } from 'node:util';
import { doctorReport, type CheckedFinding } from './doctor-report.js';

const findings: CheckedFinding[] = [
  { check: 'database', verdict: 'ok', found: 'Postgres 17.6 responds in 2 ms.', fix: null },
  {
    check: 'mail',
    verdict: 'problem',
    found: 'The mail server smtp.example.com:587: Invalid login: 535 \u001b[2JAuthentication failed.',
    fix: 'Check user and password of SMTP_URL: percent-encode them, and use an app password if the provider has them.',
  },
  { check: 'proxy', verdict: 'warning', found: 'TRUST_PROXY is 0.', fix: 'Set TRUST_PROXY.' },
];

describe('doctorReport', () => {
  it('doctorReport writes one plain line per sentence if the output is not a terminal', () => {
    expect(doctorReport(findings, null)).toBe(
      [
        'ok       database  Postgres 17.6 responds in 2 ms.',
        'problem  mail      The mail server smtp.example.com:587: Invalid login: 535 \\u001b[2JAuthentication failed.',
        '                   → Check user and password of SMTP_URL: percent-encode them, and use an app password if the provider has them.',
        'warning  proxy     TRUST_PROXY is 0.',
        '                   → Set TRUST_PROXY.',
        '',
        '1 problem, 1 warning.',
        '',
      ].join('\n'),
    );
  });

  it("doctorReport puts a mark before each finding at a terminal, and wraps sentences to the terminal's width", () => {
    const lines = doctorReport(findings, { columns: 60, hasColors: false }).split('\n');
    expect(lines).toEqual([
      '✓ database  Postgres 17.6 responds in 2 ms.',
      '✗ mail      The mail server smtp.example.com:587: Invalid',
      '            login: 535 \\u001b[2JAuthentication failed.',
      '            → Check user and password of SMTP_URL:',
      '              percent-encode them, and use an app password',
      '              if the provider has them.',
      '! proxy     TRUST_PROXY is 0.',
      '            → Set TRUST_PROXY.',
      '',
      '1 problem, 1 warning.',
      '',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('doctorReport adds only colours if the terminal supports colours', () => {
    const coloured = doctorReport(findings, { columns: 60, hasColors: true });
    expect(stripVTControlCharacters(coloured)).toBe(doctorReport(findings, { columns: 60, hasColors: false }));
    for (const mark of ['\u001b[32m✓', '\u001b[33m!', '\u001b[31m✗']) expect(coloured).toContain(mark);
  });
});
