/** Git LFS keeps large files elsewhere and a pointer of a few lines in the repository. A checkout without LFS has the pointer as the file. */
const FIRST_LINE = new TextEncoder().encode("version https://git-lfs.github.com/spec/v");
/** The specification of Git LFS: a pointer has less than 1024 bytes. */
const MAX_BYTES = 1024;

export const isLfsPointer = (bytes: Uint8Array): boolean =>
  bytes.length < MAX_BYTES && FIRST_LINE.every((byte, index) => bytes[index] === byte);
