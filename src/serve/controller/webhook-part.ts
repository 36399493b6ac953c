/** The admission webhooks as a part of `prevail controller`: a port of their own, their configurations, their readiness and metrics. */
import { readFile } from "node:fs/promises";
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { CertifiedKey } from "../../adapters/certificates/make-certificates.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { WebhookSettings } from "../../cli/controller/webhook-settings.ts";
import type { LiveState } from "../../controller/live-evaluation.ts";
import { buildIndexes } from "../../core/apply.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import { foundRules, type KindRule } from "../../webhook/configure/configuration-objects.ts";
import { writeConfigurations } from "../../webhook/configure/write-configurations.ts";
import { warmUp } from "../../webhook/serve/warm-up.ts";
import { startWebhookServer, type WebhookServer } from "../../webhook/serve/webhook-server.ts";
import { createWebhookMetrics } from "./webhook-metrics.ts";

export interface WebhookPartOptions {
  readonly client: KubeClient;
  readonly settings: WebhookSettings;
  readonly note: (message: string) => void;
  readonly trouble: (what: string, message: string) => void;
  readonly over: (what: string) => void;
  /** The worth of retries to the requests through the Gateways that the controller serves. */
  readonly retries: () => RetryKnowledge | undefined;
}

const CONFIGURATIONS = "webhook configurations";

export class WebhookPart {
  readonly #options: WebhookPartOptions;
  #server: WebhookServer | undefined;
  #state: LiveState | undefined;
  #authorities: string | undefined;
  #rules: readonly KindRule[] | undefined;
  /** Configurations are written one after the other. */
  #writing: Promise<boolean> = Promise.resolve(true);
  readonly #metrics = createWebhookMetrics();
  readonly families: readonly MetricFamily[] = this.#metrics.families;

  constructor(options: WebhookPartOptions) {
    this.#options = options;
  }

  /** Rejects if the port cannot be opened or the file of the client authority cannot be read. */
  async open(certificate: CertifiedKey): Promise<number> {
    const { settings, note } = this.#options;
    const { host, port, clientAuthorityFile, deny, redactsNames } = settings;
    this.#server = await startWebhookServer({
      host,
      port,
      certificate,
      clientAuthority: clientAuthorityFile === undefined ? undefined : await readFile(clientAuthorityFile, "utf8"),
      state: () => this.#state && { ...this.#state, retries: this.#options.retries },
      deny,
      redactsNames,
      onReview: this.#metrics.noteReview,
      onHandshakeFailure: this.#metrics.noteHandshake,
      onError: (error) => note(`a review failed: ${error instanceof Error ? error.message : String(error)}`),
    });
    return this.#server.port;
  }

  useCertificate(certificate: CertifiedKey): void {
    this.#server?.useCertificate(certificate);
  }

  /** The configurations are written again if kinds came or went. */
  useState(state: LiveState): void {
    const isNew = this.#state?.resources !== state.resources;
    // Before the state is there, warn says that the cluster has not been read.
    if (this.#state === undefined) warmUp(state);
    else if (isNew) buildIndexes(state.evaluation);
    this.#state = state;
    if (!isNew) return;
    this.#rules = foundRules([...state.resources.values()]);
    void this.#write();
  }

  /** False if the configurations could not be written. */
  publish(authorities: string | undefined): Promise<boolean> {
    this.#authorities = authorities;
    return this.#write();
  }

  #write(): Promise<boolean> {
    const { client, note, trouble, over } = this.#options;
    this.#writing = this.#writing.then(async () => {
      try {
        const written = await writeConfigurations(client, { authorities: this.#authorities, rules: this.#rules });
        for (const what of written) note(`wrote ${what}`);
        over(CONFIGURATIONS);
        return true;
      } catch (error) {
        trouble(CONFIGURATIONS, error instanceof Error ? error.message : String(error));
        return false;
      }
    });
    return this.#writing;
  }

  readiness(): { readonly isReady: boolean; readonly reason: string } {
    if (this.#server === undefined) return { isReady: false, reason: "the webhooks are not served yet" };
    return this.#state === undefined
      ? { isReady: false, reason: "the cluster is being read" }
      : { isReady: true, reason: "serving" };
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await this.#writing;
  }
}
