// The Go module of Gateway API, as the module proxy that Go is configured with has it. Its data is used; nothing of it is compiled.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

export const module = "sigs.k8s.io/gateway-api";
export const version = "v1.7.0";
const sum = "h1:duVnm7nO6oXfMMUWfcDoBph47CYR/ME3NGxccOVglaY=";
const channels = ["standard", "experimental"];

/** This machine cannot download the module. */
export class DownloadRefusal extends Error {}

/** The CRDs of both channels, as text. */
export function downloadCrds() {
  const prefix = `${module}@${version}/config/crd/`;
  return [...filesIn(downloadModule())]
    .filter(([name]) => name.startsWith(prefix) && /\/[^/_]+_[a-z]+\.yaml$/.test(name))
    .map(([name, read]) => ({ channel: name.slice(prefix.length).split("/")[0], file: name.split("/").at(-1), read }))
    .filter(({ channel }) => channels.includes(channel))
    .sort((a, b) => (a.channel + a.file < b.channel + b.file ? -1 : 1))
    .map(({ channel, file, read }) => ({ channel, file, text: read() }));
}

/** Returns the content of the module's zip file. */
function downloadModule() {
  const folder = mkdtempSync(join(tmpdir(), "prevail-gateway-api-"));
  try {
    writeFileSync(join(folder, "go.mod"), "module prevail\n");
    const { error, stdout, stderr } = spawnSync("go", ["mod", "download", "-json", `${module}@${version}`], {
      cwd: folder,
      encoding: "utf8",
      timeout: 300_000,
      // The sum is compared below, so no checksum database is needed. No other Go is downloaded for a file of data.
      env: { ...process.env, GOFLAGS: "-mod=mod", GONOSUMDB: module, GOTOOLCHAIN: "local" },
    });
    if (error) throw new DownloadRefusal(`Go is missing: ${error.message}`);
    // An older Go reports that it could not build the module, beside the zip file that it did download.
    const { Zip: zip, Sum: found, Error: reason } = JSON.parse(stdout === "" ? "{}" : stdout);
    if (zip === undefined || !existsSync(zip)) {
      throw new DownloadRefusal(`${module} ${version} could not be downloaded: ${reason ?? stderr.trim()}`);
    }
    if (found !== sum) throw new Error(`${module} ${version} has the sum ${found}; expected ${sum}`);
    return readFileSync(zip);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files of a zip archive, by name, from its central directory. */
function filesIn(zip) {
  const files = new Map();
  const end = zip.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  const count = zip.readUInt16LE(end + 10);
  for (let i = 0, at = zip.readUInt32LE(end + 16); i < count; i++) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const header = zip.readUInt32LE(at + 42);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    files.set(name, () => {
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      const bytes = zip.subarray(start, start + size);
      return (method === 0 ? bytes : inflateRawSync(bytes)).toString("utf8");
    });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}
