import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { ConnectedBackend, ConnectedListener, Explanation } from "../../core/explain/explain/result.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { SERVICE } from "../../core/model/kinds.ts";
import { formatRef, isNamespace, kindId, type ObjectRef } from "../../core/model/refs.ts";
import { listWords, sectionWord } from "../print/format/format-paths.ts";
import { countTargets, countWord } from "../print/print-targets.ts";
import { glued, styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";

const MOST = 6;

/** Prints the parents, hosts, backends, listeners and routes of a target: what there is to say without a policy. */
export function printConnections(explanation: Explanation, { print, source, wide }: TextContext): void {
  const rows = rowsOf(explanation, { origin: source.origin, most: wide ? Number.POSITIVE_INFINITY : MOST });
  const width = Math.max(0, ...rows.map(({ label }) => label.length)) + 2;
  for (const { label, lines } of rows) {
    lines.forEach((line, at) => {
      const head = at === 0 ? label : "";
      print.paragraph({ indent: 2, hanging: width }, styled(glued(head.padEnd(width)), "dim"), line);
    });
  }
}

interface ConnectionRow {
  readonly label: string;
  readonly lines: readonly string[];
}

interface RowOptions {
  readonly origin: string;
  readonly most: number;
}

const rowsOf = (explanation: Explanation, options: RowOptions): readonly ConnectionRow[] =>
  [...rowsAbove(explanation, options), ...rowsBelow(explanation, options)].filter(({ lines }) => lines.length > 0);

/** Rows for the parents that the target is attached to, with its hosts there. */
function rowsAbove(
  { target: { kind }, connections: { attachedTo, hostnames }, absentParents }: Explanation,
  { origin, most }: RowOptions,
): readonly ConnectionRow[] {
  const parents = [
    ...groupBySection(attachedTo).map(parentWords),
    ...absentParents.filter((ref) => !isNamespace(ref)).map((ref) => `${glued(formatRef(ref))} (not in ${origin})`),
  ];
  const isRoute = kind.endsWith("Route");
  const isAttached = parents.length > 0;
  // Without a listener the hosts are as written, and a route that names none has nothing to show.
  const hosts = hostnames.filter((hostname) => isAttached || hostname !== "*");
  const label = attachedTo.length > 0 || hosts.length === 0 ? "hosts" : "hosts, as written";
  return [
    { label: "attached to", lines: isAttached ? [someWords(parents, most)] : isRoute ? ["no parent"] : [] },
    { label, lines: hosts.length === 0 ? [] : [someWords(hosts.map(hostWords), most)] },
  ];
}

/** Listeners and routes of a Gateway, backends of a route, routes of a Service. */
function rowsBelow({ target, connections }: Explanation, { origin, most }: RowOptions): readonly ConnectionRow[] {
  const { backendOf, listeners, attached, backends } = connections;
  const noRoutes = listeners.length > 0 ? [`none in ${origin}`] : [];
  const noBackends = target.kind.endsWith("Route") ? ["none"] : [];
  const noUse = kindId(target) === SERVICE && attached.length === 0 ? [`no route in ${origin}`] : [];
  const backendNames = backends.map((backend) => backendWords(backend, target.sectionName));
  return [
    { label: listeners.length === 1 ? "listener" : "listeners", lines: someLines(listeners.map(listenerWords), most) },
    {
      label: attached.every(isRouteNode) ? "routes" : "attached",
      lines: attached.length === 0 ? noRoutes : [attachedWords(attached, most)],
    },
    { label: "backends", lines: backends.length === 0 ? noBackends : [someWords(backendNames, most)] },
    {
      label: "backend of",
      lines: backendOf.length === 0 ? noUse : [someWords(groupBySection(backendOf).map(userWords), most)],
    },
  ];
}

const isRouteNode = ({ kind }: ObjectRef): boolean => kind.endsWith("Route");

/** An object, and the names of its sections in a list. */
interface SectionGroup {
  readonly owner: PathNode;
  readonly sections: readonly string[];
}

function groupBySection(nodes: readonly PathNode[]): readonly SectionGroup[] {
  const byOwner = new Map<string, { readonly owner: PathNode; readonly sections: string[] }>();
  for (const node of nodes) {
    const group = remember(byOwner, formatRef(node), () => ({ owner: node, sections: [] }));
    if (node.sectionName !== undefined) group.sections.push(node.sectionName);
  }
  return [...byOwner.values()];
}

/** `listeners http and https of Gateway infra/prod`. */
function parentWords({ owner, sections }: SectionGroup): string {
  const name = glued(formatRef(owner));
  if (sections.length === 0) return name;
  const word = `${sectionWord(owner.kind)}${sections.length === 1 ? "" : "s"}`;
  return `${glued(`${word} `)}${listWords(sections.map(glued))} of ${name}`;
}

/** `HTTPRoute bakery/baker (rules order and menu)`. */
const userWords = ({ owner, sections }: SectionGroup): string =>
  `${glued(formatRef(owner))}${sections.length === 0 ? "" : ` (${ruleWords(sections)})`}`;

const hostWords = (hostname: string): string => (hostname === "*" ? "every host" : hostname);

function listenerWords({ name, protocol, port, hostname, attached }: ConnectedListener): string {
  const where = port === undefined ? protocol : `${protocol} on port ${port}`;
  const host = hostname === undefined ? "every host" : hostname;
  return `${glued(name)}: ${where}, ${host}, ${attached === 0 ? "no routes" : countWord(attached, "route")}`;
}

/** `200 HTTPRoutes: shop/a, shop/b and 198 more`. */
function attachedWords(attached: readonly PathNode[], most: number): string {
  const names = attached.map((node) => glued(formatRef(node)));
  return attached.length <= most ? listWords(names) : `${countTargets(attached)}: ${someWords(names, most)}`;
}

/** `Service bakery/baker (rules order and menu)`. The rule is not repeated if it is the target. */
function backendWords({ ports, sections, ...node }: ConnectedBackend, sectionName: string | undefined): string {
  const port = ports.length === 0 ? "" : ` ${glued(`port ${ports.join(", ")}`)}`;
  const rules = sectionName !== undefined || sections.length === 0 ? "" : ` (${ruleWords(sections)})`;
  return `${glued(formatRef(node))}${port}${rules}`;
}

/** `rule order`, `rules order and menu`, `rule-1`. */
function ruleWords(sections: readonly string[]): string {
  const [only, ...more] = sections;
  if (more.length === 0 && only !== undefined) return /^rule-\d/.test(only) ? only : glued(`rule ${only}`);
  return `rules ${listWords(sections.map(glued))}`;
}

function someWords(words: readonly string[], most: number): string {
  return words.length <= most ? listWords(words) : `${words.slice(0, most).join(", ")} and ${words.length - most} more`;
}

const someLines = (lines: readonly string[], most: number): readonly string[] =>
  lines.length <= most
    ? lines
    : [...lines.slice(0, most), `… and ${lines.length - most} more (-o wide lists them all)`];
