/** Options of `OwnDatabaseModule.forRoot`: none, because the app configures the connection. */
export abstract class OwnDatabaseOptions {}
