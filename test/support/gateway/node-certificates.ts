/**
 * Certificates for tests only, made with the commands in docs/envoy.md and valid for decades: an authority, an xDS server (`xds.example`, `localhost`)
 * and nodes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BootstrapTls } from "../../../src/xds/compile/compile-bootstrap.ts";
import type { XdsServerTls } from "../../../src/xds/serve/xds-port.ts";
import type { Cleanup } from "./gateway-harness.ts";

export const NODE_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIUPKUjUh0t9CYCND9FOXjVKVFt5fAwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLcHJldmFpbCB4RFMwIBcNMjYxMTE4MDcxOTE1WhgPMjEyNjEw
MjUwNzE5MTVaMBYxFDASBgNVBAMMC3ByZXZhaWwgeERTMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAE9XuG2IAbh6Q69C5+OIHGdGwP6VwI+bWzzujdc+LAop+mJMh1
MYPylW9DRFxCg0NxFTGTe2HQY7gGltJ5Pr13yKNTMFEwHQYDVR0OBBYEFEITuKX+
oA4Czw88vG9JH5NLqWU+MB8GA1UdIwQYMBaAFEITuKX+oA4Czw88vG9JH5NLqWU+
MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgH5D32jtXPUpVsp0X
R6VcqGv/j2umv8NGc3Wmv1Jf4DECIQD9FfcLJ7srBRZWU3FdHKwkwJ1vRV7QDwLG
Fr0BCvdLdA==
-----END CERTIFICATE-----
`;

const SERVER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIULzTprF0jMYyGSI8QDGve7OhuRoswCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLcHJldmFpbCB4RFMwIBcNMjYxMTE4MDcxOTE1WhgPMjEyNjEw
MjUwNzE5MTVaMBYxFDASBgNVBAMMC3hkcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAENIZqbVxSOahgwFI2vWNp+dKysoO2cW289grul82Iy2phFGU0
GaW/bxDvqHJFg/F/QqxQ+4fG2SVb89p24hd24aNlMGMwIQYDVR0RBBowGIILeGRz
LmV4YW1wbGWCCWxvY2FsaG9zdDAdBgNVHQ4EFgQU5pcyGHKBQcg1UUTlx3xo8kSn
/IcwHwYDVR0jBBgwFoAUQhO4pf6gDgLPDzy8b0kfk0upZT4wCgYIKoZIzj0EAwID
SQAwRgIhAI3FNEgmyzwNwvybvlVP/+KMd8m07LK1sF0M+yCrRRVXAiEAlT9RWT68
mCjv2XdFpuvW+NYvbyr6SNhi0rJu66bq5Xg=
-----END CERTIFICATE-----
`;

const SERVER_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEkEwIheroINgPl2/
K+T0lCUoFbG5T+s9QL4ENPxuRHmhRANCAAQ0hmptXFI5qGDAUja9Y2n50rKyg7Zx
bbz2Cu6XzYjLamEUZTQZpb9vEO+ockWD8X9CrFD7h8bZJVvz2nbiF3bh
-----END PRIVATE KEY-----
`;

export const XDS_SERVER_TLS: XdsServerTls = {
  certificate: SERVER_CERTIFICATE,
  privateKey: SERVER_KEY,
  authorities: NODE_AUTHORITY,
};

interface NodeCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** `node-7`, for Gateway `tenant-a/gw-a`. */
export const NODE_7: NodeCertificate = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBojCCAUegAwIBAgIUTAZPRRN0ogO3SVxk2/e7ZycBNvkwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLcHJldmFpbCB4RFMwIBcNMjYxMTE4MDcxOTE1WhgPMjEyNjEw
MjUwNzE5MTVaMBExDzANBgNVBAMMBm5vZGUtNzBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABLoZOqROCnDLKy4tgy8zSrzkRgbgjs0I+i20qRbLk4viEeouI44eLXCm
8lQ//aw5uOAQfc7CBqGB8XtW/1HJaUKjdjB0MDIGA1UdEQQrMCmCBm5vZGUtN4Yf
cHJldmFpbDovL2dhdGV3YXkvdGVuYW50LWEvZ3ctYTAdBgNVHQ4EFgQUc/BuAq8s
xkBkLFMPEV3WXSLsTR0wHwYDVR0jBBgwFoAUQhO4pf6gDgLPDzy8b0kfk0upZT4w
CgYIKoZIzj0EAwIDSQAwRgIhAP2TjsmKwUDteTeMa0uqYX2BunBwyaWrCHJD0tWa
dXUdAiEArVOSXLMA6PBvoz0ev1F2qoMs598TeMj/IH5QcFwa//A=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpzN8dsUp0I+rrZKJ
tR1ri0QFAYRLFGaoH+qxsYVhv96hRANCAAS6GTqkTgpwyysuLYMvM0q85EYG4I7N
CPottKkWy5OL4hHqLiOOHi1wpvJUP/2sObjgEH3OwgahgfF7Vv9RyWlC
-----END PRIVATE KEY-----
`,
};

/** `node-8`, for no Gateway. */
export const NODE_8: NodeCertificate = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBfzCCASagAwIBAgIUBu17fyoyD8+z9Q0SkPETzkpV59gwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLcHJldmFpbCB4RFMwIBcNMjYxMTE4MDcxOTE1WhgPMjEyNjEw
MjUwNzE5MTVaMBExDzANBgNVBAMMBm5vZGUtODBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABBiBfzbvFQ7FNdzBNKy1UW6ttJon2yvM7HCD0fWHBMo9Ha0Rxiiv34u+
QgLfncjf6yPUyBfz4nqD1CUFKoQ1ltCjVTBTMBEGA1UdEQQKMAiCBm5vZGUtODAd
BgNVHQ4EFgQUWqY9CBHvTg0XCqIlgR1wN1GeHt4wHwYDVR0jBBgwFoAUQhO4pf6g
DgLPDzy8b0kfk0upZT4wCgYIKoZIzj0EAwIDRwAwRAIgQ3fPKcTdExKjC6I2zyp1
g5ONCIxVTynMMsRi+YrwwAACIGi1YhXNq14incaToOvpPMUvlJUlXjgvi2dMCZoM
URS4
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWupS+HjW1R0JQ/ND
XRBR6IMKokhASeWwJX3ra0+Pr1ihRANCAAQYgX827xUOxTXcwTSstVFurbSaJ9sr
zOxwg9H1hwTKPR2tEcYor9+LvkIC353I3+sj1MgX8+J6g9QlBSqENZbQ
-----END PRIVATE KEY-----
`,
};

/** `node-9`, for all Gateways of `tenant-a`. */
export const NODE_9: NodeCertificate = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBnTCCAUSgAwIBAgIUJIT2u1gRrgtWY5jewbJaPUCFIQ0wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLcHJldmFpbCB4RFMwIBcNMjYxMTE4MDcxOTE1WhgPMjEyNjEw
MjUwNzE5MTVaMBExDzANBgNVBAMMBm5vZGUtOTBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABAiUbaRRuIag/XsdW4HieP/+5P1wwWucZb14Jb8Deyf2HzvN0BfUc3mz
F3PikRuV+Za2Dwwa/GNLv0nOh8ijEhCjczBxMC8GA1UdEQQoMCaCBm5vZGUtOYYc
cHJldmFpbDovL2dhdGV3YXkvdGVuYW50LWEvKjAdBgNVHQ4EFgQUKlACrqrjx2a2
7EiXXPf0snFtYuUwHwYDVR0jBBgwFoAUQhO4pf6gDgLPDzy8b0kfk0upZT4wCgYI
KoZIzj0EAwIDRwAwRAIgK5Y0PidtSZb7P87oJf5daXnAuvVfez9VwNSPZbKGO4MC
IB1feYQHoC9MvQXhR0D9sLgU3BFc9i2YLq4GIQTcK5ZN
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPmmfsf8J5T8LoHZ+
3w2NChbpfwLTOIilM8I+e4slvGqhRANCAAQIlG2kUbiGoP17HVuB4nj//uT9cMFr
nGW9eCW/A3sn9h87zdAX1HN5sxdz4pEblfmWtg8MGvxjS79JzofIoxIQ
-----END PRIVATE KEY-----
`,
};

/** Writes the files that an Envoy with this certificate reads. */
export function nodeFiles(cleanup: Cleanup, { certificate, key }: NodeCertificate): BootstrapTls {
  const folder = mkdtempSync(join(tmpdir(), "prevail-node-"));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    certificateFile: write("node.crt", certificate),
    keyFile: write("node.key", key),
    authorityFile: write("ca.crt", NODE_AUTHORITY),
    serverName: "localhost",
  };
}
