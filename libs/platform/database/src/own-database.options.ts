/** The empty options of `OwnDatabaseModule.forRoot`: the app configures its connection itself. */
export abstract class OwnDatabaseOptions {}
