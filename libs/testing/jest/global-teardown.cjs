/** Removes the databases of the run. Stops the server if the run has started it. */
module.exports = async () => {
  await globalThis[Symbol.for('passwright.test-server')]?.stop();
};
