/** Takes the counters that connected Envoys send. */
import { ALL_GATEWAYS } from "../all-gateways.ts";
import { type NodeCounts, readCounts } from "./read-counts.ts";

/** An Envoy that is connected. */
export interface CountingNode {
  /** The address and port of the client. */
  readonly peer: string;
  readonly node: string;
  readonly gateway: string;
}

/** The peer that gRPC reports for a connection without an address. */
const NO_PEER = "unknown";

/**
 * Takes the counters of an Envoy. Its stream on the same connection names the node and the Gateway; the labels of the bootstrap do so only where connections have no
 * address (Unix sockets). Returns why they are not taken.
 */
export function takeCounts(
  request: Buffer,
  peer: string,
  nodes: Iterable<CountingNode>,
  onCounts: (counts: NodeCounts) => void,
): string | undefined {
  let all: readonly NodeCounts[];
  try {
    all = readCounts(request);
  } catch (error) {
    return `the message cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  const connected = [...nodes];
  for (const { counts, ...labels } of all) {
    const found = connected.find((one) =>
      peer === NO_PEER ? one.node === labels.node && one.gateway === labels.gateway : one.peer === peer,
    );
    if (found === undefined)
      return `node ${labels.node} of ${labels.gateway} gets no configuration over this connection`;
    const { node, gateway } = found;
    onCounts({ node, gateway, counts: counts.filter((one) => gateway === ALL_GATEWAYS || one.gateway === gateway) });
  }
  return undefined;
}
