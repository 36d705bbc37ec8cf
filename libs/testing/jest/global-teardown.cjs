const { rm } = require('node:fs/promises');

/** Removes the databases and the shared folder of the run. Stops the server if the run has started it. */
module.exports = async () => {
  await globalThis[Symbol.for('passwright.test-server')]?.stop();
  const { PASSWRIGHT_TEST_FOLDER: folder } = process.env;
  if (folder) await rm(folder, { recursive: true, force: true });
};
