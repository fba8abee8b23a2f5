// When a request began, by its id: see access/ids.ts, which creates them.

/** 2024-01-01: the 41 bits last until 2093. */
export const EPOCH_MS = 1_704_067_200_000

/** All ids created before `ms` are smaller. */
export function firstIdAt(ms: number): bigint {
  return BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n
}

/** Milliseconds since 1970 at which the id was created. */
export function timeOfId(id: bigint): number {
  return Number(id >> 22n) + EPOCH_MS
}
