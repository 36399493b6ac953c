/** What came over a connection cannot be read without doubt: nothing after it can be, either. */
export class BadMessage extends Error {}

/** The same of a request, and what to answer. */
export class BadRequest extends BadMessage {
  readonly status: RefusalStatus;

  constructor(status: RefusalStatus, message: string) {
    super(message);
    this.status = status;
  }
}

export type RefusalStatus = 400 | 405 | 408 | 417 | 431 | 505;
