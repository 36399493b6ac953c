/** Asks the view API for one object. */
import { ApiError } from "../../adapters/cluster/client/api-error.ts";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { resourcePath } from "../../adapters/cluster/client/resource.ts";
import { ClusterError } from "../../adapters/cluster/cluster-error.ts";
import { parseTargetText, type TargetText } from "../../core/explain/find-objects.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { kinds as builtInKinds } from "../../core/model/kinds.ts";
import type { GroupKind, ObjectRef } from "../../core/model/refs.ts";
import { viewName } from "../../core/view/view-name.ts";
import { VIEW_API_VERSION, VIEW_GROUP, VIEW_VERSION, viewResourceFor } from "../../core/view/view-resources.ts";

/** `absent`: it is not installed. `unnamed`: the words do not name one object. `refused`: it did not answer, with the reason. */
export type ViewAnswer =
  | { readonly state: "found"; readonly object: JsonObject; readonly sectionName: string | undefined }
  | { readonly state: "absent" }
  | { readonly state: "unnamed" }
  | {
      readonly state: "refused";
      readonly reason: string;
      /** False if the cluster cannot be reached, or does not accept the credentials. */
      readonly isOfApi: boolean;
    };

export interface ViewQuestion {
  readonly about: "Targets" | "Policies";
  /** `httproute/baker`. */
  readonly text: string;
  /** The namespace of the context or of -n. Undefined: all. */
  readonly namespace: string | undefined;
}

/** A view API that does not respond is not waited for. */
const DEADLINE_MS = 5000;

export async function askViewApi(client: KubeClient, { about, text, namespace }: ViewQuestion): Promise<ViewAnswer> {
  const words = parseTargetText(text);
  if (words === undefined) return { state: "unnamed" };
  try {
    if (!(await isInstalled(client))) return { state: "absent" };
    const kind = await findKind(client, words);
    if (kind === undefined) return { state: "unnamed" };
    const within = kind.isNamespaced ? (words.namespace ?? namespace) : "";
    if (within === undefined) return { state: "unnamed" };
    const name = viewName({ ...kind, name: words.name }, () => kind.plural);
    const { plural } = viewResourceFor(about, within);
    const path = resourcePath({ group: VIEW_GROUP, version: VIEW_VERSION, plural }, within, name);
    return {
      state: "found",
      object: await client.request({ path, deadlineMs: DEADLINE_MS }),
      sectionName: words.sectionName,
    };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return { state: "refused", reason: error.message, isOfApi: error instanceof ApiError && error.status !== 401 };
  }
}

/** The views of what takes effect on objects of built-in kinds, in their order; `absent`: no policy reaches the object. Undefined: the view API is not installed. */
export async function askEffectiveViews(
  client: KubeClient,
  refs: readonly ObjectRef[],
): Promise<readonly ViewAnswer[] | undefined> {
  const answerFor = async (ref: ObjectRef): Promise<ViewAnswer> => {
    const { plural } = viewResourceFor("Targets", ref.namespace);
    const name = viewName(ref, () => undefined);
    const path = resourcePath({ group: VIEW_GROUP, version: VIEW_VERSION, plural }, ref.namespace, name);
    const object = await client.request({ path, deadlineMs: DEADLINE_MS });
    return { state: "found", object, sectionName: undefined };
  };
  const refused = (error: unknown): ViewAnswer => {
    if (error instanceof ApiError && error.status === 404) return { state: "absent" };
    if (!(error instanceof ClusterError)) throw error;
    return { state: "refused", reason: error.message, isOfApi: error instanceof ApiError };
  };
  try {
    if (!(await isInstalled(client))) return undefined;
  } catch (error) {
    const answer = refused(error);
    return refs.map(() => answer);
  }
  return Promise.all(refs.map((ref) => answerFor(ref).catch(refused)));
}

async function isInstalled(client: KubeClient): Promise<boolean> {
  try {
    await client.request({ path: `/apis/${VIEW_API_VERSION}`, deadlineMs: DEADLINE_MS });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

interface FoundKind extends GroupKind {
  readonly plural: string | undefined;
  readonly isNamespaced: boolean;
}

/** Kinds that are built in are known; others are those of the server. Undefined if there is none, or more than one. */
async function findKind(client: KubeClient, { kind: word }: TargetText): Promise<FoundKind | undefined> {
  const wanted = word.toLowerCase();
  const known = builtInKinds.filter(({ kind, plural, shortNames = [] }) =>
    [kind.toLowerCase(), plural, ...shortNames].includes(wanted),
  );
  const [first] = known;
  if (first !== undefined) {
    const { group, kind, plural, scope } = first;
    return known.length === 1 ? { group, kind, plural, isNamespaced: scope === "Namespaced" } : undefined;
  }
  const [name = "", ...groupParts] = wanted.split(".");
  const group = groupParts.join(".");
  const { resources } = await discoverResources(client);
  const found = resources.filter(
    (one) =>
      [one.kind.toLowerCase(), one.plural, ...one.shortNames].includes(name) && (group === "" || one.group === group),
  );
  return found.length === 1 ? found[0] : undefined;
}
