/** A note about requests that a trace in a mesh does not distinguish. */
export const MESH_NOTE =
  "Requests are distinguished by their namespace. Workloads are not modelled: a policy or a route for one workload counts for its whole namespace.";
