import { relative } from 'node:path';
import type { Context } from '../context.js';
import type { Output, Style } from '../output.js';
import type { Compared, Workspace } from './workspace.js';
import { imagePaths } from './image-files.js';
import type { Finding } from './template-service.js';

/** A line in a list of templates: a mark, the id and a description. */
export interface Row {
  mark: '+' | '~' | '-' | '!' | '?';
  id: string;
  says: string;
}

const styles: Record<Row['mark'], Style> = { '+': 'green', '~': 'yellow', '-': 'red', '!': 'red', '?': 'cyan' };

/** Shows templates to people. */
export class View {
  constructor(private readonly output: Output) {}

  /**
   * Prints a line.
   * @param width the length of the longest id, which aligns the descriptions
   */
  row({ mark, id, says }: Row, width: number): void {
    const named = this.output.style('bold', id) + ' '.repeat(Math.max(0, width - id.length));
    this.output.line(`${this.output.style(styles[mark], mark)} ${named}  ${says}`);
  }

  /**
   * Prints each property with the service's value (-) above the file's (+). If the service's value has changed since
   * the last pull or push, its earlier value (=) comes first.
   */
  differences(template: Compared): void {
    const paths = template.file ? imagePaths(template.file.body) : {};
    for (const { path, service, file, base, changedBy } of template.differences) {
      const isChanged = changedBy === 'service' || changedBy === 'both';
      this.output.line(`    ${path}${isChanged ? this.output.style('dim', changedWhere[changedBy]) : ''}`);
      if (isChanged && base !== undefined) this.output.line(this.output.style('dim', `      = ${this.value(base)}`));
      if (service !== undefined) this.output.line(this.output.style('red', `      - ${this.value(service)}`));
      const shown = paths[path] ?? file;
      if (file !== undefined) this.output.line(this.output.style('green', `      + ${this.value(shown)}`));
    }
  }

  /** Prints errors and warnings of the template lint. */
  findings(findings: readonly Finding[]): void {
    for (const { severity, path, message, fix } of findings.filter((finding) => finding.severity !== 'info')) {
      const word = this.output.style(severity === 'error' ? 'red' : 'yellow', severity.padEnd(7));
      this.output.line(`    ${word}  ${path.replace(/^\$\.?/, '') || 'the whole'}: ${message}; ${fix}`);
    }
  }

  private value(value: unknown): string {
    const text = typeof value === 'string' && !/[\n\t]|^\s|\s$|^$/.test(value) ? value : JSON.stringify(value);
    const room = Math.max(20, this.output.width - 8);
    return text.length > room ? `${text.slice(0, room - 1)}…` : text;
  }
}

export const widthOf = (rows: readonly { id: string }[]): number => Math.max(0, ...rows.map(({ id }) => id.length));

const changedWhere = { service: '  changed on the service', both: '  changed in both' };

/** Returns a legend that explains the marks of differences. */
export function legendOf(
  { io }: Context,
  { service, project, templates }: Pick<Workspace, 'service' | 'project' | 'templates'>,
): string {
  const differences = templates.flatMap((template) => template.differences);
  const isThreeWay = differences.some(({ changedBy }) => changedBy === 'service' || changedBy === 'both');
  const base = isThreeWay ? '= last pull or push   ' : '';
  return `${base}- ${service.url}   + ${relative(io.cwd, project.templates) || '.'}/`;
}

/** Formats the counts that are not 0: «2 to create, 1 unchanged». */
export function counted(numbers: Record<string, number>): string {
  const parts = Object.entries(numbers).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
  return parts.join(', ');
}
