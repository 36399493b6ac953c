import type { World } from "../effective/world.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { type KindId, kindId, type ObjectId } from "../model/refs.ts";
import { advanceDataplane } from "./advance-dataplane.ts";
import { type Dataplane, emptyParts } from "./dataplane.ts";
import { type EndpointOptions, serviceOfSlice } from "./endpoints-of.ts";

const GATEWAY: KindId = kindId({ group: GATEWAY_API, kind: "Gateway" });
const ENDPOINT_SLICE: KindId = kindId({ group: "discovery.k8s.io", kind: "EndpointSlice" });
const ROUTES = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"].map((kind) =>
  kindId({ group: GATEWAY_API, kind }),
);

/** What every Gateway of an evaluation must do. Equal input gives equal output, whatever came before. */
export function compileDataplane(world: World, options: EndpointOptions): Dataplane {
  const slices = new Map<ObjectId, KubeObject[]>();
  world.objects.byKind.get(ENDPOINT_SLICE)?.forEach((_, slice) => {
    const service = serviceOfSlice(slice);
    if (service === undefined) return;
    const others = slices.get(service);
    if (others === undefined) slices.set(service, [slice]);
    else others.push(slice);
  });
  return advanceDataplane(undefined, emptyParts(options), world, {
    routes: new Set(ROUTES.flatMap((kind) => idsOf(world, kind))),
    services: new Set(),
    slices,
    gateways: new Set(idsOf(world, GATEWAY)),
  });
}

function idsOf({ objects }: World, kind: KindId): readonly ObjectId[] {
  const ids: ObjectId[] = [];
  objects.byKind.get(kind)?.forEach((id) => ids.push(id));
  return ids;
}
