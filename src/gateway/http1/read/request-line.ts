/** Parses the first line of a request of HTTP/1.0 or HTTP/1.1: method, target and version, separated by one space. */
import type { RefusalStatus } from "../../contract/request-head.ts";

export type RequestLine =
  | {
      readonly state: "value";
      readonly method: string;
      /** Visible ASCII, not yet parsed. */
      readonly target: string;
      readonly version: "1.0" | "1.1";
      /** The length of the line, including CR LF. */
      readonly length: number;
    }
  | Refused;

interface Refused {
  readonly state: "refused";
  readonly status: RefusalStatus;
  readonly message: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * The methods of RFC 9110 and of the IANA registry. Other methods are refused. CONNECT and TRACE are listed here and refused later, with
 * status 405.
 */
const METHODS = words(`
  GET HEAD POST PUT DELETE OPTIONS PATCH QUERY CONNECT TRACE
  ACL BIND CHECKOUT COPY LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL MOVE PROPFIND PROPPATCH REBIND REPORT SEARCH UNBIND UNLINK UNLOCK
  M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE PURGE`);

/** Methods of RTSP and Icecast, which get 405. */
const FOREIGN = words(`
  SOURCE DESCRIBE ANNOUNCE SETUP PLAY PAUSE TEARDOWN GET_PARAMETER SET_PARAMETER REDIRECT RECORD FLUSH`);

/** Why a method is refused. Undefined: it is not. */
export function refuseMethod(method: string): Refused | undefined {
  if (METHODS.has(method)) return undefined;
  return FOREIGN.has(method) ? { state: "refused", status: 405, message: `${method} is not allowed` } : NO_REQUEST;
}

const LINE = /([A-Z-]+) ([\x21-\x7e]+) HTTP\/1\.([01])\r\n/y;

export function parseRequestLine(text: string): RequestLine {
  LINE.lastIndex = 0;
  const line = LINE.exec(text);
  const method = line?.[1] ?? "";
  if (line === null || !METHODS.has(method)) return refuseLine(text.slice(0, text.indexOf("\r\n")));
  return {
    state: "value",
    method,
    target: line[2] ?? "",
    version: line[3] === "0" ? "1.0" : "1.1",
    length: LINE.lastIndex,
  };
}

const NO_REQUEST: Refused = { state: "refused", status: 400, message: "this is not a valid HTTP request" };

function refuseLine(line: string): RequestLine {
  const [, method = "", version] = /^([A-Z_-]+) [\x21-\x7e]+(?: ([\x21-\x7e]+))?$/.exec(line) ?? [];
  // A request line of HTTP/0.9 has no version.
  const isOtherHttp = version === undefined || /^HTTP\/(?:0|[2-9])\.[0-9]$/.test(version);
  const refused = refuseMethod(method) ?? (isOtherHttp ? undefined : NO_REQUEST);
  if (refused !== undefined) return refused;
  return { state: "refused", status: 505, message: "only HTTP/1.0 and HTTP/1.1 are supported" };
}
