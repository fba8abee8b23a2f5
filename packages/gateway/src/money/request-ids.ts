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

const halves = new DataView(new ArrayBuffer(8))
const THREE_DIGITS = Array.from({ length: 0x1000 }, (_, number) => number.toString(16).padStart(3, '0'))
const TWO_DIGITS = Array.from({ length: 0x100 }, (_, number) => number.toString(16).padStart(2, '0'))

export function formatRequestId(id: bigint): string {
  halves.setBigInt64(0, id)
  return `req_${digitsOf(halves.getUint32(0))}${digitsOf(halves.getUint32(4))}`
}

const digitsOf = (half: number): string =>
  `${TWO_DIGITS[half >>> 24]}${THREE_DIGITS[(half >>> 12) & 0xfff]}${THREE_DIGITS[half & 0xfff]}`
