export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
export { DatabaseOptions } from './database.options.js';
export { migrate } from './migrate.js';
export { migrations } from './migrations/index.js';
export { SnakeNaming } from './snake-naming.js';
export { isForeignKeyViolation, isUniqueViolation } from './unique-violation.js';
