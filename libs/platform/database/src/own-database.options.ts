/** What `OwnDatabaseModule.forRoot` takes: nothing, as the connection is the app's. */
export abstract class OwnDatabaseOptions {}
