// A response as it is stored for repeated requests: encrypted for its account, and bound to its idempotency key and request.

import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { Claim, KeptAnswer } from '../storage/contents.ts'

/** In place of the headers, which are encrypted with the body. */
const SEALED = 'sealed-1'
const LENGTH_BYTES = 4

/** A response that is moved to another key or request in the store cannot be decrypted. */
export const contextOf = ({ key, fingerprint }: Pick<Claim, 'key' | 'fingerprint'>): Uint8Array =>
  Buffer.concat([key, fingerprint])

export function sealResponse(claim: Claim, { headers, body }: KeptAnswer, keys: AccountCipher): KeptAnswer {
  const text = Buffer.from(headers)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  const plain = Buffer.concat([length, text, body])
  return { headers: SEALED, body: keys.encrypt(claim.account, 'idempotent answers', plain, contextOf(claim)) }
}

/** undefined: it cannot be read any more. */
export function openResponse(claim: Claim, kept: KeptAnswer, keys: AccountCipher): KeptAnswer | undefined {
  if (kept.headers !== SEALED) return kept
  const opened = keys.decrypt(claim.account, 'idempotent answers', kept.body, contextOf(claim))
  if (!opened) return undefined
  const plain = Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength)
  const end = LENGTH_BYTES + plain.readUInt32BE(0)
  return { headers: plain.toString('utf8', LENGTH_BYTES, end), body: plain.subarray(end) }
}
