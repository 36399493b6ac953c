/** The credentials of a user, as requests to the API server carry them. */
export interface Credentials {
  /** The headers of a request. They may be renewed between two calls. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** The client certificate of a connection, in PEM. */
  readonly certificate: () => Promise<ClientCertificate | undefined>;
  /** Called after the server refused the credentials. True if others may be accepted now. */
  readonly renew: () => Promise<boolean>;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CredentialOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if an exec plugin may ask the user. */
  readonly isInteractive: boolean;
}
