import { apps } from './combinations.mjs';

/** Formats the rows of a run for a terminal: the seconds of each step, and the reasons why combinations did not run. */
export function terminalTable(rows, nodes) {
  const head = ['combination', 'install', 'types', ...nodes.map(({ version }) => version)];
  const reasons = [...new Set(rows.flatMap((row) => Object.values(row.nodes)))].filter(isReason);
  const cell = (value) => {
    if (value === null || value === undefined) return '';
    if (isReason(value)) return `(${reasons.indexOf(value) + 1})`;
    return value === 'failed' ? value : value.toFixed(1);
  };
  const lines = rows.map((row) => [
    row.name,
    cell(row.install),
    cell(row.types),
    ...nodes.map(({ major }) => cell(row.nodes[major])),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column].length)));
  const table = [head, ...lines].map((line) => line.map((text, column) => text.padEnd(widths[column])).join('  '));
  return [...table, ...reasons.map((reason, index) => `(${index + 1}) ${reason}`)].join('\n');
}

/** Formats the rows for a document: the versions of Node on which each app ran, by package manager. */
export function documentTable(rows, nodes, managers) {
  const kinds = [...new Set(rows.map(kindOf))];
  const cell = (kind, manager) => {
    const all = rows.filter((row) => kindOf(row) === kind && row.manager === manager);
    const passed = nodes.filter(
      ({ major }) => all.length > 0 && all.every((row) => typeof row.nodes[major] === 'number'),
    );
    return passed.length === nodes.length ? 'all' : passed.map(({ major }) => major).join(', ') || '–';
  };
  const lines = kinds.map((kind) => `| ${[kind, ...managers.map((manager) => cell(kind, manager))].join(' | ')} |`);
  return [`| | ${managers.join(' | ')} |`, `|${' - |'.repeat(managers.length + 1)}`, ...lines].join('\n');
}

function kindOf({ app, nest, module }) {
  const { about, nest: isNest } = apps[app];
  const system = { commonjs: ', CommonJS', module: ', ESM' }[module] ?? '';
  return isNest ? `${about}, NestJS ${nest}${system}` : about;
}

export function failuresOf(rows) {
  return rows.filter(({ install, types, nodes }) => [install, types, ...Object.values(nodes)].includes('failed'));
}

function isReason(value) {
  return typeof value === 'string' && value !== 'failed';
}
