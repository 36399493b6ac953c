/**
 * Normalizes paths (RFC 3986, 6.2.2), so that routing, policies and the backend see the same path. A path that a backend could interpret as
 * a different path is refused.
 */
export type NormalizedPath =
  | { readonly state: "value"; readonly path: string }
  | { readonly state: "refused"; readonly message: string };

/** Paths that need no change: no percent sign, no empty element except the last, no element that begins with a dot. */
const PLAIN = /^(?:\/[A-Za-z0-9_~!$&'()*+,=:@|[\]-][A-Za-z0-9._~!$&'()*+,=:@|[\]-]*)*\/?$/;
/** RFC 3986's pchar, plus `|`, `[` and `]`, which browsers do not encode. */
const ALLOWED = /^[A-Za-z0-9._~!$&'()*+,;=:@|[\]/%-]*$/;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;

export function normalizePath(path: string): NormalizedPath {
  if (PLAIN.test(path)) return { state: "value", path: path === "" ? "/" : path };
  if (!ALLOWED.test(path)) return refused("the path has a character that must be percent-encoded");
  const decoded = decodeUnreserved(path);
  if (decoded.state === "refused") return decoded;
  return removeDotSegments(decoded.path);
}

/** Decodes percent-encoded unreserved characters. Other encodings stay, in upper case. */
function decodeUnreserved(path: string): NormalizedPath {
  let problem: string | undefined;
  const decoded = path.replace(/%(?:([0-9A-Fa-f]{2})|)/g, (_, hex: string | undefined, offset: number) => {
    if (hex === undefined) {
      problem = "a percent sign in the path is not followed by two hexadecimal digits";
      return "";
    }
    const code = Number.parseInt(hex, 16);
    problem ??= findProblem(code, path.slice(offset + 3, offset + 5));
    const character = String.fromCharCode(code);
    return UNRESERVED.test(character) ? character : `%${hex.toUpperCase()}`;
  });
  return problem === undefined ? { state: "value", path: decoded } : refused(problem);
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;

function findProblem(code: number, next: string): string | undefined {
  if (code === SLASH || code === BACKSLASH) return "the path has an encoded slash or backslash";
  if (code < 0x20 || code === 0x7f) return "the path has an encoded control character";
  // These bytes never occur in UTF-8; they occur in overlong encodings of dots and slashes.
  if (code === 0xc0 || code === 0xc1 || code >= 0xf5) return "the path has an encoding that is not UTF-8";
  if (code === PERCENT && /^(?:2[ef]|5c|25|[01][0-9a-f]|7f)$/i.test(next)) {
    return "the path has a dot, slash or control character that is encoded twice";
  }
  return undefined;
}

/** Also merges slashes, because backends differ on whether `//` equals `/`. */
function removeDotSegments(path: string): NormalizedPath {
  const kept: string[] = [];
  const elements = path.split("/").slice(1);
  const last = elements.at(-1);
  for (const element of elements) {
    // Some servers remove parameters before they resolve dot segments.
    if (/^\.{1,2};/.test(element)) return refused("a path element is a dot with parameters");
    if (element === "..") {
      if (kept.pop() === undefined) return refused("the path leads above the root");
    } else if (element !== "" && element !== ".") kept.push(element);
  }
  const isFolder = last === "" || last === "." || last === "..";
  return { state: "value", path: `/${kept.join("/")}${isFolder && kept.length > 0 ? "/" : ""}` };
}

const refused = (message: string): NormalizedPath => ({ state: "refused", message });
