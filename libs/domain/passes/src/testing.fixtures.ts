export { PassExpiryCron } from './expiry/pass-expiry.cron.js';
export { dueSql, expireSql, PassExpiryRepository } from './expiry/pass-expiry.repository.js';
export { PassChangeNotifier } from './listeners/pass-change-notifier.service.js';
export { DeletedPassesCron } from './deletion/deleted-passes.cron.js';
export { aTemplate } from './content/pass.fixtures.js';
export { lockManySql, PassesRepository, updateContentsSql } from './passes/passes.repository.js';
export { ReplaceableSigner } from './replaceable-signer.fixtures.js';
export { baseUrl, TestAccount, TestApp } from './test-app.fixtures.js';
export { findPassesSql } from './wallets/linked-passes.repository.js';
