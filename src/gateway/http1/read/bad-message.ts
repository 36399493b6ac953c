import type { RefusalStatus } from "../../contract/request-head.ts";

/** The bytes of a message are malformed or ambiguous. Nothing after them on the connection can be read either. */
export class BadMessage extends Error {}

/** A malformed or ambiguous request, with the status of the response to it. */
export class BadRequest extends BadMessage {
  readonly status: RefusalStatus;

  constructor(status: RefusalStatus, message: string) {
    super(message);
    this.status = status;
  }
}
