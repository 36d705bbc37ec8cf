export { ScriptedGoogle } from './scripted-google.fixtures.js';
export { GoogleDueCron } from './sync/google-due.cron.js';
export { GoogleResourcesRepository } from './sync/google-resources.repository.js';
