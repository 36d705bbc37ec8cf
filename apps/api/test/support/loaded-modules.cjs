// Preloaded by a test. Writes the names of all loaded modules when the process ends.
const { writeFileSync } = require('node:fs');

process.once('exit', () => writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join('\n')));
