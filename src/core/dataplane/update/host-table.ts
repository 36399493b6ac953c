/** The virtual hosts of one listener, kept in order while routes come and go. Versions share what did not change. */

import { isSameList } from "../../model/collections/is-same-list.ts";
import { MapDraft } from "../../model/collections/map-draft.ts";
import { PersistentMap } from "../../model/collections/persistent-map.ts";
import { updateSortedList } from "../../model/collections/update-sorted-list.ts";
import { compareText } from "../../model/refs.ts";
import { compareHostnames } from "../../routing/hostname-match.ts";
import { comparePrecedence } from "../../routing/match-precedence.ts";
import type { RankedRoute } from "../compile/compile-route.ts";
import type { VirtualHostConfig } from "../gateway-config.ts";

interface Host {
  readonly config: VirtualHostConfig;
  /** The routes of `config`, with what their order rests on. */
  readonly ranked: readonly RankedRoute[];
}

export interface HostTable {
  readonly byName: PersistentMap<string, Host>;
  /** The more specific hostname first. */
  readonly hosts: readonly VirtualHostConfig[];
}

/** The changes at one hostname: the routes that go, and those that come. */
export interface HostChange {
  readonly gone: RankedRoute[];
  readonly come: RankedRoute[];
}

export const NO_HOSTS: HostTable = { byName: PersistentMap.from<string, Host>(new Map()), hosts: [] };

export function changedHosts(table: HostTable, changes: ReadonlyMap<string, HostChange>): HostTable {
  const names = new MapDraft(table.byName);
  const gone: VirtualHostConfig[] = [];
  const come: VirtualHostConfig[] = [];
  for (const [hostname, change] of changes) {
    const before = names.get(hostname);
    const after = changedHost(before, hostname, change);
    names.set(hostname, after);
    if (before?.config === after?.config) continue;
    if (before !== undefined) gone.push(before.config);
    if (after !== undefined) come.push(after.config);
  }
  const isSame = gone.length + come.length === 0;
  return { byName: names.build(), hosts: isSame ? table.hosts : updateSortedList(table.hosts, gone, come, byHostname) };
}

/** Undefined: nothing is left. */
function changedHost(before: Host | undefined, hostname: string, { gone, come }: HostChange): Host | undefined {
  const ranked = updateSortedList(before?.ranked ?? [], gone, come, inOrder);
  if (ranked.length === 0) return undefined;
  const routes = ranked.map(({ config }) => config);
  const isSame = before !== undefined && isSameList(before.config.routes, routes);
  return { config: isSame ? before.config : { hostname, routes }, ranked };
}

const inOrder = (a: RankedRoute, b: RankedRoute): number => comparePrecedence(a, b).order;

const byHostname = (a: VirtualHostConfig, b: VirtualHostConfig): number =>
  compareHostnames(a.hostname, b.hostname) || compareText(a.hostname, b.hostname);
