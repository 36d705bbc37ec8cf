/**
 * Runs the integration and end-to-end specs on tables in four hash partitions by account.
 *
 *   npm run test:partitions [pattern of spec files]
 */
import { install, root, runTests } from './install.mjs';

process.chdir(root);
install();
process.env.PARTITIONS ||= '4';
const pattern = process.argv[2] ?? '\\.(int|e2e)-spec\\.ts$';
runTests('--', '--passWithNoTests', '--testPathPatterns', pattern);
