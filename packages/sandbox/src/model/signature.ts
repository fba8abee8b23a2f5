// Signatures of reasoning: a signature, encrypted content or thought signature, by dialect. They prove that reasoning is sent
// back unmodified. Derived from the content alone, so that the sandbox is stateless.
import { createHash, createHmac, type Hash } from 'node:crypto'

/** Not a secret: the signature detects accidental changes, not forgery. */
const KEY = 'sandbox-seal'
const MARK = Buffer.from('sandbox-seal/')
const DIGEST_BYTES = 24
const CHECK_BYTES = 15

/** For text that is never in memory as a whole. */
export function openSignature(): { update(text: string): void; signature(): string } {
  const hash: Hash = createHash('sha256')
  return {
    update: (text) => void hash.update(text),
    signature: () => encode(hash.digest().subarray(0, DIGEST_BYTES)),
  }
}

export function signatureOf(covered: string): string {
  const signature = openSignature()
  signature.update(covered)
  return signature.signature()
}

export function isSignature(value: string): boolean {
  const bytes = Buffer.from(value, 'base64')
  return encode(bytes.subarray(MARK.length, MARK.length + DIGEST_BYTES)) === value
}

export function isSignatureOf(value: string, covered: string): boolean {
  return value === signatureOf(covered)
}

function encode(digest: Uint8Array): string {
  const check = createHmac('sha256', KEY).update(digest).digest().subarray(0, CHECK_BYTES)
  return Buffer.concat([MARK, digest, check]).toString('base64')
}
