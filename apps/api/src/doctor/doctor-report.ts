import { counted } from '../counted.js';
import { styled, type Style, type Terminal, wrapped } from '../terminal.js';
import { terminalText } from '../terminal-text.js';
import type { Finding, Verdict } from './finding.js';

/** A finding, with the check that reported it. */
export interface CheckedFinding extends Finding {
  readonly check: string;
}

const marks: Readonly<Record<Verdict, readonly [mark: string, style: Style]>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  problem: ['✗', 'red'],
};
/** The minimum width of the column of sentences. Narrower terminals break the lines themselves. */
const NARROWEST = 24;

/**
 * Formats findings for a person. At a terminal, each finding has a coloured mark, and long sentences are wrapped.
 * Otherwise, each sentence is one line.
 */
export function doctorReport(findings: readonly CheckedFinding[], terminal: Terminal | null): string {
  const lines = terminal ? marked(findings, terminal) : plain(findings);
  const count = (verdict: Verdict) =>
    counted(findings.filter((finding) => finding.verdict === verdict).length, verdict);
  return `${lines.join('\n')}\n\n${count('problem')}, ${count('warning')}.\n`;
}

function plain(findings: readonly CheckedFinding[]): string[] {
  const width = widthOf(findings);
  return findings.flatMap(({ verdict, check, found, fix }) => [
    terminalText(`${verdict.padEnd(8)} ${check.padEnd(width)}  ${found}`),
    ...(fix === null ? [] : [terminalText(`${' '.repeat(width + 11)}→ ${fix}`)]),
  ]);
}

function marked(findings: readonly CheckedFinding[], { columns, hasColors }: Terminal): string[] {
  const width = widthOf(findings);
  const indent = ' '.repeat(width + 4);
  const room = Math.max(columns - indent.length, NARROWEST);
  return findings.flatMap(({ verdict, check, found, fix }) => {
    const [mark, style] = marks[verdict];
    const sentences = wrapped(terminalText(found), room);
    const remedy = fix === null ? [] : wrapped(terminalText(fix), room - 2);
    return [
      ...sentences.map((line, at) =>
        at === 0
          ? `${styled(style, mark, hasColors)} ${styled('bold', check.padEnd(width), hasColors)}  ${line}`
          : indent + line,
      ),
      ...remedy.map((line, at) => `${indent}${at === 0 ? styled('cyan', '→', hasColors) : ' '} ${line}`),
    ];
  });
}

const widthOf = (findings: readonly CheckedFinding[]) => Math.max(...findings.map(({ check }) => check.length));
