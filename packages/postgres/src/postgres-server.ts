/** A Postgres server to use until `close()`. */
export interface PostgresServer {
  /** URL of a database on the server. Contains the password: do not log it. */
  readonly url: string;
  readonly kind: 'url' | 'embedded' | 'container';
  /** Resolves with the reason if an embedded server ends by itself. Never resolves for a server given by URL. */
  readonly ended: Promise<string>;
  /** Stops a server that was started here, and resolves when it has stopped. Does not stop a server given by URL. */
  close(): Promise<void>;
}
