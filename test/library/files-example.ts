import { loadFiles, nodeFileSystem } from "../../src/files.ts";
import { buildSnapshot, effectivePolicies, evaluate, findings, objectId } from "../../src/index.ts";

// Reads everything below a directory, as the command line does. What cannot be read is a finding.
const loaded = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
for (const { severity, message, file, line } of loaded.findings)
  console.log(`${file}:${line}: ${severity}: ${message}`);
console.log(`${loaded.documents.length} objects in ${loaded.files.length} files`);

// With positions, findings name the file and the line.
const objects = loaded.documents.map(({ value }) => value);
const positions = loaded.documents.map(({ file, line, column }) => ({ file, line, column }));
const evaluation = evaluate(buildSnapshot(objects, { positions }));
for (const { severity, message, source } of findings(evaluation))
  if (severity === "error") console.log(`${source?.file}:${source?.line}: ${message}`);

// What takes effect on a Service, on each path to it.
const policyKind = { group: "prevail.dev", kind: "RetryPolicy" };
const till = objectId({ group: "", kind: "Service", namespace: "shop", name: "till" });
for (const { path, spec } of effectivePolicies(evaluation, { policyKind, object: till }))
  console.log(`${path.map(({ name, sectionName }) => sectionName ?? name).join(" > ")}: ${JSON.stringify(spec)}`);
