/** As many as a file system of that size has room for by default: one for every 16 KiB. */
export const maxFiles = (diskGb: number): number => Math.max(1_000, Math.floor((diskGb * 1024 ** 3) / 16_384))
