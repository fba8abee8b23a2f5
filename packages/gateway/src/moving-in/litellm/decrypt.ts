// Values that LiteLLM keeps encrypted one by one, in one of two ciphers: AES-256-GCM behind a prefix, or a NaCl secret box. Both keys
// are the SHA-256 of the salt key. What does not have the form of either is plain text, as older versions left it.
import { createDecipheriv, createHash } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa'
import { SourceError } from '../sources/source-database.ts'

/** `place`: for the error, if the value does not decrypt. */
export type Decrypt = (text: string, place: string) => string

const GCM = 'v2:gcm:'
const [GCM_NONCE, BOX_NONCE, TAG] = [12, 24, 16]
const BASE64 = /^[A-Za-z0-9_+/-]*={0,2}$/
/** What people write in these fields, and long keys of vendors could be taken for base64. */
const PLAIN = /^(?:sk-|AIza|https?:|os\.environ\/|\$\{)/

/** `salt`: LITELLM_SALT_KEY, or the master key where none was set. */
export function decryptWith(salt: string | undefined): Decrypt {
  const key = salt === undefined ? undefined : createHash('sha256').update(salt).digest()
  return (text, place) => {
    const box = boxOf(text)
    if (!box) return text
    if (!key)
      throw new SourceError(
        `${place} is encrypted. Name the salt key (LITELLM_SALT_KEY), or the master key if there is none.`,
      )
    try {
      return text.startsWith(GCM) ? openGcm(key, box) : openBox(key, box)
    } catch (error) {
      const advice = 'It is LITELLM_SALT_KEY, or the master key of the time when the value was stored.'
      throw new SourceError(`${place} cannot be decrypted: the salt key is another one. ${advice}`, { cause: error })
    }
  }
}

function boxOf(text: string): Buffer | undefined {
  if (text.startsWith(GCM)) return Buffer.from(text.slice(GCM.length), 'base64url')
  if (PLAIN.test(text) || text.length % 4 !== 0 || !BASE64.test(text)) return undefined
  const box = Buffer.from(text, 'base64')
  return box.length >= BOX_NONCE + TAG ? box : undefined
}

function openGcm(key: Buffer, box: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, GCM_NONCE), { authTagLength: TAG })
  cipher.setAuthTag(box.subarray(-TAG))
  return Buffer.concat([cipher.update(box.subarray(GCM_NONCE, -TAG)), cipher.final()]).toString()
}

const openBox = (key: Buffer, box: Buffer): string =>
  Buffer.from(xsalsa20poly1305(key, box.subarray(0, BOX_NONCE)).decrypt(box.subarray(BOX_NONCE))).toString()
