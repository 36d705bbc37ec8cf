/** Removes the databases of the test server, and stops the server if this run started it. */
module.exports = async () => {
  await globalThis[Symbol.for('passwright.test-server')]?.stop();
};
