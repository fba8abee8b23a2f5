import { expect, test } from 'bun:test'
import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { expectedBytes } from './reserve.ts'

const MIB = 1024 * 1024
const request = (n: number, size?: string) => ({ n, size }) as ImageRequest

test.each<[n: number, size: string | undefined, mebibytes: number]>([
  [1, '1024x1024', 2],
  [10, '1024x1024', 20],
  [2, 'auto', 6],
  [2, undefined, 6],
  // More than any response may have: one request must not seem to take all memory of the gateway.
  [1, '99999x99999', 128],
  [10, '2048x8192', 128],
])('%i images of size %s are expected to take %i MiB', (n, size, mebibytes) => {
  expect(expectedBytes(request(n, size))).toBe(mebibytes * MIB)
})
