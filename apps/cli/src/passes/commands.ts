import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Context } from '../context.js';
import { exportPasses, type ExportOptions } from './export.js';
import { importPasses, type ImportOptions } from './import.js';
import { readMapOption } from './mapping.js';

const formats = ['csv', 'ndjson'];
const resultsHelp =
  'Where the rows with their links go. Default: beside the file, in its format: people.results.csv for people.csv, ' +
  'people.results.ndjson for people.ndjson, people.tsv.results.csv for people.tsv.';

/** Defines `passwright passes import|export`. */
export function passCommands(program: Command, context: Context): void {
  const passes = program.command('passes').description('Bring passes in from a table, and out to one.');
  passes
    .command('import <file>')
    .description('Make a pass for each row of a CSV or NDJSON file. After an interruption, run it again to continue.')
    .requiredOption('-t, --template <id>', 'The template that the passes are of.')
    .option('--map <part=column>', 'Which column becomes which part of a pass; repeat it for each.', readMapOption)
    .option('--mapping <file>', 'The same from a YAML or JSON file.')
    .option('-n, --dry-run', 'Look at every row, show what the first becomes, write nothing.')
    .option('--results <file>', resultsHelp)
    .addOption(new Option('--format <format>', 'Instead of what the name ends with.').choices(formats))
    .option('--max-errors <n>', 'Stop when more rows have failed.', wholeNumber)
    .option('--restart', 'Forget an earlier import of this file: its passes stay, and new ones are made.')
    .action((file: string, options: ImportOptions) => importPasses(context, file, options))
    .addHelpText('after', importExamples);
  passes
    .command('export')
    .description('Write the passes of a template as CSV or NDJSON.')
    .requiredOption('-t, --template <id>', 'The template that the passes are of.')
    .option('-o, --out <file>', 'Where to; - is the terminal or pipe.', '-')
    .addOption(new Option('--format <format>', 'Default: by the name of --out, else csv.').choices(formats))
    .option('--voided', 'Void ones alone.')
    .option('--no-voided', 'Those that are not void.')
    .option('--updated-since <time>', 'Changed then or later, such as 2026-11-01T00:00:00Z.')
    .option('--expires-before <time>', 'Expiring earlier.')
    .action((options: ExportOptions) => exportPasses(context, options))
    .addHelpText('after', exportExamples);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number such as 100.');
}

const importExamples = `
A part is id, code, primaryValue, validFrom, expiry, thumbnail, voided, fields.<key>, backFields.<key> or
metadata.<name>. Columns with such names, or those of the template's fields, need no --map. The parts language, group and
group.order, and as JSON fields, backFields, locations, translations, actions and linkedPasses, are used only with --map
or from an export.

Examples:
  $ passwright passes import people.csv -t gym --dry-run
  $ passwright passes import people.csv -t gym --map primaryValue=Name --map fields.seat="Seat No"
  $ passwright passes import people.ndjson -t gym --json`;

const exportExamples = `
Examples:
  $ passwright passes export -t gym -o passes.csv
  $ passwright passes export -t gym --format ndjson --updated-since 2026-11-01T00:00:00Z | gzip > passes.gz`;
