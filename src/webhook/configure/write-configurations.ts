/** Keeps the ValidatingWebhookConfigurations up to date. Every replica does; all write the same. */
import { ApiError } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { createObject, deleteObject, getObject, updateObject } from "../../adapters/cluster/client/object-requests.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { WebhookName } from "../serve/answer-review.ts";
import {
  foundConfiguration,
  foundName,
  givenName,
  type KindRule,
  withBundle,
  withWanted,
} from "./configuration-objects.ts";

const CONFIGURATIONS = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "validatingwebhookconfigurations",
};

const WEBHOOKS: readonly WebhookName[] = ["warn", "deny"];

export interface WebhookConfigurations {
  /** The authorities of the certificate, in PEM. Undefined: another tool writes them, such as cert-manager. */
  readonly authorities: string | undefined;
  /** The kinds that were found. Undefined: the cluster has not been read, so they stay as they are. */
  readonly rules: readonly KindRule[] | undefined;
}

/** Returns what was written, for the log. Rejects if the API server refuses it. */
export async function writeConfigurations(
  client: KubeClient,
  wanted: WebhookConfigurations,
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const webhook of WEBHOOKS) written.push(...(await retried(() => writeOne(client, webhook, wanted))));
  return written;
}

const MAX_ATTEMPTS = 5;

/** Another replica may write at the same time: then what it wrote is read. */
async function retried<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function writeOne(
  client: KubeClient,
  webhook: WebhookName,
  { authorities, rules }: WebhookConfigurations,
): Promise<readonly string[]> {
  const written: string[] = [];
  let given = await getObject(client, CONFIGURATIONS, { name: givenName(webhook) });
  if (given !== undefined && authorities !== undefined) {
    const next = withBundle(given, Buffer.from(authorities).toString("base64"));
    if (next !== undefined) {
      given = await updateObject(client, CONFIGURATIONS, next);
      written.push(`the authority of the certificate, into ValidatingWebhookConfiguration ${givenName(webhook)}`);
    }
  }
  if (rules === undefined) return written;
  const wanted = given === undefined ? undefined : foundConfiguration(webhook, given, rules);
  const kinds = rules.flatMap(({ group, resources }) => resources.map((plural) => `${plural}.${group}`));
  if (await writeFound(client, webhook, wanted))
    written.push(
      wanted === undefined
        ? `ValidatingWebhookConfiguration ${foundName(webhook)} is not needed and was deleted`
        : `ValidatingWebhookConfiguration ${foundName(webhook)}, for ${kinds.join(", ")}`,
    );
  return written;
}

/** True if something was written. */
async function writeFound(client: KubeClient, webhook: WebhookName, wanted: JsonObject | undefined): Promise<boolean> {
  const stored = await getObject(client, CONFIGURATIONS, { name: foundName(webhook) });
  if (stored === undefined) {
    if (wanted === undefined) return false;
    await createObject(client, CONFIGURATIONS, wanted);
    return true;
  }
  if (wanted === undefined) {
    await deleteObject(client, CONFIGURATIONS, stored);
    return true;
  }
  const next = withWanted(stored, wanted);
  if (next === undefined) return false;
  await updateObject(client, CONFIGURATIONS, next);
  return true;
}
