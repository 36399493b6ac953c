import { BaseSequencer, type TestSpecification } from "vitest/node";

/** True for a test file that needs a kube-apiserver. */
export const needsCluster = ({ moduleId }: Pick<TestSpecification, "moduleId">): boolean =>
  moduleId.includes("/test/cluster/");

/** Test files that need a kube-apiserver come last: it is built while the others run. */
export class ClusterLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !needsCluster(file)), ...sorted.filter(needsCluster)];
  }
}
