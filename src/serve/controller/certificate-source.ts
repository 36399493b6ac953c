import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readCertificate } from "../../adapters/certificates/read-certificate.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { ServingCertificate } from "../../adapters/sockets/start-tls-server.ts";
import type { ControllerSettings } from "../../cli/controller/settings.ts";
import { type BundleOutcome, writeBundle } from "../../controller/certificates/api-service.ts";
import { type CertificateSecret, ensureCertificates } from "../../controller/certificates/own-certificates.ts";
import { VIEW_GROUP, VIEW_VERSION } from "../../core/view/view-resources.ts";

/** Where the certificate of the view API and of the webhooks comes from. */
export interface CertificateSource {
  /** The current certificate. It may make a new one. Rejects if there is none. */
  readonly load: () => Promise<LoadedCertificate>;
}

export interface LoadedCertificate extends ServingCertificate {
  /** Clients may not trust it before. */
  readonly trustedFromMs: number;
  /** False: its authority could not be written to everybody who needs it, so the last certificate is the better one. */
  readonly isPublished: boolean;
}

export interface CertificateContext {
  readonly client: KubeClient;
  readonly settings: ControllerSettings;
  /** The namespace of the Service and of the Secret. */
  readonly namespace: string;
  readonly nowMs: () => number;
  readonly note: (message: string) => void;
  /** Writes the authorities into the objects that API servers read them from. Undefined: another tool does. False if that fails. */
  readonly publish: (authorities: string | undefined) => Promise<boolean>;
  readonly timing: CertificateTiming;
}

/** How often the source is asked for a newer certificate, and how long clients may take to see a new authority. */
export interface CertificateTiming {
  readonly everyMs: number;
  readonly trustMs: number;
}

export const CERTIFICATE_TIMING: CertificateTiming = { everyMs: 15_000, trustMs: 30_000 };

export const createCertificateSource = (context: CertificateContext): CertificateSource => {
  const { certificateFiles } = context.settings;
  const noteBundle = bundleNotes(context.note);
  return {
    load: async () => {
      if (certificateFiles === undefined) return loadOwn(context, noteBundle);
      return {
        ...(await loadFiles(certificateFiles)),
        trustedFromMs: 0,
        isPublished: await context.publish(undefined),
      };
    },
  };
};

/** Calls back when the certificate has changed and clients trust it. Failures are reported, and the last certificate stays. */
export async function followCertificate(
  source: CertificateSource,
  first: ServingCertificate,
  signal: AbortSignal,
  {
    onChange,
    onTrouble,
    everyMs,
    nowMs,
  }: {
    readonly onChange: (certificate: ServingCertificate) => void;
    readonly onTrouble: (message: string) => void;
    readonly everyMs: number;
    readonly nowMs: () => number;
  },
): Promise<void> {
  let current = first;
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const next = await source.load();
      const isOld = next.certificate === current.certificate;
      if (isOld || !next.isPublished || nowMs() < next.trustedFromMs) continue;
      current = next;
      onChange(next);
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : String(error));
    }
  }
}

const RETRY_MS = 2000;

/** The certificate to start with, as soon as there is one that clients trust. Undefined: the signal has aborted. */
export async function loadFirstCertificate(
  source: CertificateSource,
  signal: AbortSignal,
  onTrouble: (message: string) => void,
): Promise<ServingCertificate | undefined> {
  while (!signal.aborted) {
    try {
      const loaded = await source.load();
      const waitMs = loaded.trustedFromMs - Date.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      return loaded;
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : String(error));
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

async function loadFiles(files: NonNullable<ControllerSettings["certificateFiles"]>): Promise<ServingCertificate> {
  const [certificate, privateKey] = await Promise.all([readPem(files.certificate), readPem(files.privateKey)]);
  const facts = readCertificate(certificate);
  if (facts === undefined) throw new Error(`${files.certificate} is not a certificate in PEM`);
  // While a tool writes both files, one of them may still be the old one.
  if (!facts.hasKey(privateKey)) throw new Error(`${files.privateKey} is not the key of ${files.certificate}`);
  return { certificate, privateKey };
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

const API_SERVICE = `${VIEW_VERSION}.${VIEW_GROUP}`;

async function loadOwn(
  context: CertificateContext,
  noteBundle: ReturnType<typeof bundleNotes>,
): Promise<LoadedCertificate> {
  const { client, settings, namespace, nowMs, note, publish, timing } = context;
  const secret: CertificateSecret = { namespace, name: settings.secretName };
  const host = `${settings.service.name}.${namespace}.svc`;
  const { authorities, serving, made, trustedFromMs } = await ensureCertificates({
    client,
    secret,
    dnsNames: [host],
    nowMs: nowMs(),
    trustMs: timing.trustMs,
  });
  if (made !== undefined) note(`made a new certificate for ${host}, in Secret ${namespace}/${secret.name}`);
  // The API server must trust the authority before it meets a certificate of it.
  if (settings.view !== undefined) noteBundle(await writeBundle(client, API_SERVICE, authorities));
  return { ...serving, trustedFromMs, isPublished: await publish(authorities) };
}

/** Prints what became of the authorities of the view API: once that there is no APIService, and not each time that the certificate is looked at. */
export function bundleNotes(note: (message: string) => void): (outcome: BundleOutcome) => void {
  let isAbsent = false;
  return (outcome) => {
    if (outcome === "written") note(`wrote the authority of the certificate into APIService ${API_SERVICE}`);
    if (outcome === "absent" && !isAbsent)
      note(`there is no APIService ${API_SERVICE}, so the view API cannot be reached yet`);
    isAbsent = outcome === "absent";
  };
}
