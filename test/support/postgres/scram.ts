// The client's side of SCRAM-SHA-256 (RFC 5802, 7677), as far as a test's own server needs it.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export function scramClient(password: string) {
  const nonce = randomBytes(18).toString('base64')
  const first = `n=,r=${nonce}`
  return {
    /** The answer to an authentication message of PostgreSQL, if it wants one. */
    answer(kind: number, content: Buffer): Buffer | undefined {
      if (kind === 10) {
        const text = Buffer.from(`n,,${first}`)
        const length = Buffer.alloc(4)
        length.writeUInt32BE(text.length)
        return Buffer.concat([Buffer.from('SCRAM-SHA-256\0'), length, text])
      }
      return kind === 11 ? Buffer.from(proof(content.toString())) : undefined
    },
  }

  function proof(challenge: string): string {
    const field = (name: string) =>
      challenge
        .split(',')
        .find((each) => each.startsWith(`${name}=`))
        ?.slice(2) ?? ''
    const salted = pbkdf2Sync(password, Buffer.from(field('s'), 'base64'), Number(field('i')), 32, 'sha256')
    const last = `c=biws,r=${field('r')}`
    const clientKey = hmac(salted, 'Client Key')
    const signature = hmac(createHash('sha256').update(clientKey).digest(), `${first},${challenge},${last}`)
    return `${last},p=${Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))).toString('base64')}`
  }
}
