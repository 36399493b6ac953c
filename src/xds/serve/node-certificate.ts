/**
 * The rights that the certificate of an Envoy gives. It names the node (a DNS or URI name, or the common name) and the Gateways that the node may serve,
 * as URI names: `prevail://gateway/NAMESPACE/NAME`. docs/envoy.md has the commands that create one. The replicas of a Deployment share a certificate for all nodes
 * whose names begin with that of the Deployment: `prevail://node/NAME-*`.
 */

/** The fields of a certificate in `node:tls` that are used here. */
export interface PeerCertificateFields {
  readonly subject?: { readonly CN?: string | readonly string[] };
  readonly subjectaltname?: string;
}

const NODE_PREFIX = "prevail://node/";
const GATEWAY_PREFIX = "prevail://gateway/";

/** The URI name of a Gateway (`namespace/name`). In a certificate `*` may stand for the name, or for both. */
export const gatewayUri = (gateway: string): string => `${GATEWAY_PREFIX}${gateway}`;

/** Why the node must not get the configuration of this Gateway (`namespace/name`). Undefined: it may. */
export function refusalOf(
  certificate: PeerCertificateFields | undefined,
  node: string,
  gateway: string,
): string | undefined {
  const names = parseNames(certificate?.subjectaltname ?? "");
  const ids = names.filter(({ type }) => type === "DNS" || type === "URI").map(({ value }) => value);
  const common = certificate?.subject?.CN;
  if (!ids.includes(node) && common !== node && !names.some((name) => isForReplica(name, node))) {
    return `the certificate is not for node ${node}: neither a DNS name, nor a URI name, nor the common name is '${node}'`;
  }
  const [namespace = ""] = gateway.split("/");
  const allowed = [gateway, `${namespace}/*`, "*/*"].map(gatewayUri);
  if (names.some(({ type, value }) => type === "URI" && allowed.includes(value))) return undefined;
  return `the certificate is not for Gateway ${gateway}: it has no URI name ${gatewayUri(gateway)}`;
}

/** The URI name of all nodes whose names begin with the text and a hyphen. */
export const replicasUri = (name: string): string => `${NODE_PREFIX}${name}-*`;

function isForReplica({ type, value }: AlternativeName, node: string): boolean {
  if (type !== "URI" || !value.startsWith(NODE_PREFIX) || !value.endsWith("-*")) return false;
  const start = value.slice(NODE_PREFIX.length, -1);
  return start.length > 1 && node.length > start.length && node.startsWith(start);
}

interface AlternativeName {
  /** `DNS`, `URI`, `IP Address`, `email` … */
  readonly type: string;
  readonly value: string;
}

/** A value that contains a comma or a quote is a JSON string, so that it cannot pass for two names. */
const NAME = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/y;

/** Parses `subjectaltname` of `node:tls`: `DNS:a.example, URI:"b, c"`. Names after one that is not understood are ignored. */
function parseNames(text: string): readonly AlternativeName[] {
  const names: AlternativeName[] = [];
  NAME.lastIndex = 0;
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const [, type = "", value = ""] = found;
    names.push({ type, value: value.startsWith('"') ? String(JSON.parse(value)) : value });
  }
  return names;
}
