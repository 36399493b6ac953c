/** The clusters that the rules of TLSRoutes, TCPRoutes and UDPRoutes need. */
import type { BackendConfig, ListenerConfig, RuleConfig } from "../../../core/dataplane/gateway-config.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { formatRef } from "../../../core/model/refs.ts";
import { type ClusterName, clusterName } from "../resource-names.ts";
import type { ClusterUse } from "../routes/compile-route.ts";

/** The part of the connections of a rule that a backend gets. */
export interface StreamShare {
  readonly weight: number;
  /** Undefined: the connections are closed. */
  readonly backend: BackendConfig | undefined;
}

/** The backends of a UDPRoute with several: their endpoints are one cluster. */
export interface MixedBackends {
  /** The name of the cluster and of its endpoints. */
  readonly name: ClusterName;
  readonly shares: readonly StreamShare[];
}

/** Everything that the stream rules of one listener need besides the listener. */
export interface StreamNeeds {
  readonly uses: readonly ClusterUse[];
  readonly mixes: readonly MixedBackends[];
  /** True if some connections are closed. */
  readonly isClosing: boolean;
}

/** A cluster without endpoints: connections to it are closed, datagrams are dropped. */
export const CLOSED = "prevail closed" as ClusterName;

export function sharesOf({ action }: RuleConfig): readonly StreamShare[] {
  if (action.type !== "Forward") return [{ weight: 1, backend: undefined }];
  return action.backends.map(({ weight, target }) => ({
    weight,
    backend: target.type === "Backend" ? target.backend : undefined,
  }));
}

const NO_SETTINGS = { tryTimeoutMs: undefined, budget: undefined };

/** The cluster of one share. */
export const clusterOf = ({ backend }: StreamShare): ClusterName =>
  backend === undefined ? CLOSED : clusterName(backend, NO_SETTINGS);

/** The rule of each virtual host: a connection has nothing to match but its host, so the first route is used. */
export const rulesOf = ({
  virtualHosts,
}: ListenerConfig): readonly { readonly hostname: string; readonly rule: RuleConfig }[] =>
  virtualHosts.flatMap(({ hostname, routes: [first] }) =>
    first === undefined ? [] : [{ hostname, rule: first.rule }],
  );

/** The needs of one listener, each computed once for the same virtual hosts. */
export function createStreamReader(): (listener: ListenerConfig) => StreamNeeds {
  const known = new WeakMap<ListenerConfig["virtualHosts"], StreamNeeds>();
  return (listener) => remember(known, listener.virtualHosts, () => needsOf(listener));
}

function needsOf(listener: ListenerConfig): StreamNeeds {
  const rules = rulesOf(listener).map(({ rule }) => ({ rule, shares: sharesOf(rule) }));
  const shares = rules.flatMap((one) => one.shares);
  const isMixing = listener.protocol === "UDP";
  return {
    uses: shares.flatMap((share): readonly ClusterUse[] => {
      const { backend } = share;
      return backend === undefined
        ? []
        : [{ name: clusterOf(share), backend, settings: NO_SETTINGS, waitsMs: undefined }];
    }),
    mixes: isMixing
      ? rules
          .filter((one) => one.shares.length > 1)
          .map(({ rule, shares: all }) => ({ name: mixName(rule), shares: all }))
      : [],
    // A listener also closes connections whose host no route matches.
    isClosing: listener.protocol === "TLS" || rules.length === 0 || shares.some(({ backend }) => backend === undefined),
  };
}

/** The cluster with the backends of a rule. */
export const mixName = ({ route, rule }: RuleConfig): ClusterName => formatRef(route, rule) as ClusterName;
