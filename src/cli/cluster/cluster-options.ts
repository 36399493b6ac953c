import type { AccessOptions } from "../../adapters/cluster/kubeconfig/cluster-access.ts";
import type { Option, OptionValues } from "../args/option.ts";

/** The options of kubectl that choose a cluster and a user. */
export const clusterOptions: readonly Option[] = [
  {
    name: "context",
    value: "NAME",
    help: "read the cluster of this context of the kubeconfig file (default: the current one)",
  },
  { name: "kubeconfig", value: "FILE", help: "the kubeconfig file (default: KUBECONFIG, else ~/.kube/config)" },
  { name: "cluster", value: "NAME", help: "the cluster of the kubeconfig file to read" },
  { name: "user", value: "NAME", help: "the user of the kubeconfig file to read it as" },
  { name: "as", value: "USER", help: "act as this user (impersonation)" },
  { name: "as-group", value: "GROUP", repeatable: true, help: "act as a member of this group (repeatable)" },
  { name: "as-uid", value: "UID", help: "act as the user with this uid" },
];

/** The first option that names a cluster or a user, for the mistake of combining it with files. */
export const findClusterOption = (options: OptionValues): string | undefined =>
  clusterOptions.find(({ name }) => options.has(name))?.name;

/** Reads these options: the kubeconfig file, and the cluster and user in it. */
export const readClusterOptions = (
  options: OptionValues,
): AccessOptions & { readonly kubeconfig: string | undefined } => ({
  kubeconfig: options.value("kubeconfig"),
  context: options.value("context"),
  cluster: options.value("cluster"),
  user: options.value("user"),
  as: options.value("as"),
  asUid: options.value("as-uid"),
  asGroups: options.values("as-group"),
});
