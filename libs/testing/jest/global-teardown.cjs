/** Removes the test server's databases, and the server where it is the run's own. */
module.exports = async () => {
  await globalThis[Symbol.for('passwright.test-server')]?.stop();
};
