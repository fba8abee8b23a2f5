// What proves that reasoning comes back as it was given: a signature, encrypted content or thought signature, by dialect.
// Made of what it covers alone, so that the sandbox needs no memory to know its own.
import { createHash, createHmac, type Hash } from 'node:crypto'

/** No secret: the seal guards against accidents on the way, not against people. */
const KEY = 'sandbox-seal'
const MARK = Buffer.from('sandbox-seal/')
const DIGEST_BYTES = 24
const CHECK_BYTES = 15

/** For text that is never in memory as a whole. */
export function openSeal(): { update(text: string): void; seal(): string } {
  const hash: Hash = createHash('sha256')
  return {
    update: (text) => void hash.update(text),
    seal: () => sealed(hash.digest().subarray(0, DIGEST_BYTES)),
  }
}

export function sealOf(covered: string): string {
  const seal = openSeal()
  seal.update(covered)
  return seal.seal()
}

export function isSeal(value: string): boolean {
  const bytes = Buffer.from(value, 'base64')
  return sealed(bytes.subarray(MARK.length, MARK.length + DIGEST_BYTES)) === value
}

export function isSealOf(value: string, covered: string): boolean {
  return value === sealOf(covered)
}

function sealed(digest: Uint8Array): string {
  const check = createHmac('sha256', KEY).update(digest).digest().subarray(0, CHECK_BYTES)
  return Buffer.concat([MARK, digest, check]).toString('base64')
}
