import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Context } from '../context.js';
import { exportPasses, type ExportOptions } from './export/export-passes.js';
import { importPasses, type ImportOptions } from './import/import-passes.js';
import { readMapOption } from './rows/mapping.js';

const formats = ['csv', 'ndjson'];
const resultsHelp =
  'The file for the rows with the links of their passes. Default: beside the table, in its format: people.results.csv for people.csv, ' +
  'people.results.ndjson for people.ndjson, people.tsv.results.csv for people.tsv.';

const exportFormatHelp = 'Default: from the extension of --out, or else csv; with --json ndjson on standard output.';

/** Defines `passwright passes import|export`. */
export function passCommands(program: Command, context: Context): void {
  const passes = program
    .command('passes')
    .description('Import passes from a table, or export passes to a table.')
    .helpCommand('help [command]', 'Show help for a command.');
  passes
    .command('import <file>')
    .description('Create a pass for each row of a CSV or NDJSON file. To continue after an interruption, run it again.')
    .requiredOption('-t, --template <id>', 'The template of the passes.')
    .option(
      '--map <part=column>',
      'The column that fills a part of each pass. Repeat the option for more parts.',
      readMapOption,
    )
    .option('--mapping <file>', 'A YAML or JSON file that names the column for each part.')
    .option('-n, --dry-run', 'Check every row and show the first pass, but write nothing.')
    .option('--results <file>', resultsHelp)
    .addOption(
      new Option('--format <format>', 'The format of the file. Default: from the file extension.').choices(formats),
    )
    .option('--max-errors <n>', 'Stop when more than this many rows have failed.', wholeNumber)
    .option('--restart', 'Ignore an earlier import of this file. Its passes stay, and new passes are created.')
    .action((file: string, options: ImportOptions) => importPasses(context, file, options))
    .addHelpText('after', importExamples);
  passes
    .command('export')
    .description('Write the passes of a template as CSV or NDJSON.')
    .requiredOption('-t, --template <id>', 'The template of the passes.')
    .option('-o, --out <file>', 'The file to write; - is the standard output.', '-')
    .addOption(new Option('--format <format>', exportFormatHelp).choices(formats))
    .option('--voided', 'Only void passes.')
    .option('--no-voided', 'Only passes that are not void.')
    .option('--updated-since <time>', 'Only passes that changed at this time or later, such as 2026-11-01T00:00:00Z.')
    .option('--expires-before <time>', 'Only passes that expire before this time.')
    .action((options: ExportOptions) => exportPasses(context, options))
    .addHelpText('after', exportExamples);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number such as 100.');
}

const importExamples = `
The parts of a pass are id, code, primaryValue, validFrom, expiry, thumbnail, voided, fields.<key>, backFields.<key> and
metadata.<name>. A column with the name of a part, or of one of the template's fields, needs no --map. More parts are
used only with --map or from an export: language, group, group.order, and these as JSON: fields, backFields, locations,
translations, actions, linkedPasses.

Examples:
  $ passwright passes import people.csv -t gym --dry-run
  $ passwright passes import people.csv -t gym --map primaryValue=Name --map fields.seat="Seat No"
  $ passwright passes import people.ndjson -t gym --json`;

const exportExamples = `
Examples:
  $ passwright passes export -t gym -o passes.csv
  $ passwright passes export -t gym --format ndjson --updated-since 2026-11-01T00:00:00Z | gzip > passes.gz`;
