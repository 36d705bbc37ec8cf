export { LocalStorage } from './local-storage.js';
export { StorageModule } from './storage.module.js';
export { StorageOptions, type Store } from './storage.options.js';
