/**
 * Measures where a service spends its CPU time. Preload this file into the service. The signal SIGUSR2 starts a
 * profile, and the next SIGUSR2 writes the profile to the file that PROFILE names.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const INTERVAL_US = 250;
/** @type {Session | null} */
let session = null;

process.on('SIGUSR2', () => {
  if (session) return stop(session);
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  session.post('Profiler.start');
});

/** @param {Session} running */
function stop(running) {
  running.post('Profiler.stop', (error, { profile }) => {
    if (error) throw error;
    // Rename the finished file, because the benchmark reads the file as soon as it exists.
    writeFileSync(`${process.env.PROFILE}.part`, JSON.stringify(profile));
    renameSync(`${process.env.PROFILE}.part`, `${process.env.PROFILE}`);
    running.disconnect();
    session = null;
  });
}
