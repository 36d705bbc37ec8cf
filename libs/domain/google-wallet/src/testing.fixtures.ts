export { ScriptedGoogle } from './scripted-google.fixtures.js';
export { GoogleSender } from './sync/google-sender.handlers.js';
export { GoogleDueCron } from './sync/google-due.cron.js';
