/**
 * The interface of this folder. Nothing else in it may be imported from outside: `test/architecture.test.ts` checks it. README.md says what
 * each name is for.
 */
export { BadMessage, BadRequest } from "./read/bad-message.ts";
export { readRequestHead } from "./read/read-request-head.ts";
export { refuseMethod } from "./read/request-line.ts";
export { RequestReader } from "./read/request-reader.ts";
export { parseAuthority } from "./read/request-target.ts";
export { Http1ServerConnection } from "./server-connection.ts";
export { createHttp1Upstream } from "./upstream.ts";
