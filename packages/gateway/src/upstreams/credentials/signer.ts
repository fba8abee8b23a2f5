// Signature Version 4 of AWS. Only what no proxy changes is signed: host, content type, and the headers of AWS.
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { AboutToBeSent, AwsKeys } from './credential.ts'

export type SigningScope = { service: string; region: string }

/** The headers to add. `now`: milliseconds since 1970. */
export type Sign = (request: AboutToBeSent, keys: AwsKeys, now: number) => Promise<Record<string, string>>

const ALGORITHM = 'AWS4-HMAC-SHA256'

export function createSigner({ service, region }: SigningScope): Sign {
  let known: { day: string; secretKey: string; key: Uint8Array } | undefined

  /** It depends on the day and the keys alone. */
  function keyFor(day: string, secretKey: string): Uint8Array {
    if (known?.day === day && known.secretKey === secretKey) return known.key
    const steps = [day, region, service, 'aws4_request']
    const key = steps.reduce<Uint8Array>((of, step) => hmac(of, step), Buffer.from(`AWS4${secretKey}`))
    known = { day, secretKey, key }
    return key
  }

  return async (request, { accessKey, secretKey, sessionToken }, now) => {
    const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
    const day = time.slice(0, 8)
    const added: Record<string, string> = { 'x-amz-date': time }
    if (sessionToken !== undefined) added['x-amz-security-token'] = sessionToken
    const body = Array.isArray(request.body) ? hashOf(request.body) : await hashOfStream(request.body as Upload)
    const { names, text } = canonicalRequest(request, added, body)
    const scope = `${day}/${region}/${service}/aws4_request`
    const signed = `${ALGORITHM}\n${time}\n${scope}\n${hashOf([Buffer.from(text)])}`
    const signature = hmac(keyFor(day, secretKey), signed).toString('hex')
    added.authorization = `${ALGORITHM} Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`
    return added
  }
}

function canonicalRequest(
  { method, url, headers }: AboutToBeSent,
  added: Readonly<Record<string, string>>,
  body: string,
): { names: string; text: string } {
  const { host, pathname, search, searchParams } = new URL(url)
  const signed: [name: string, value: string][] = [['host', host]]
  for (const of of [headers, added])
    for (const name in of) if (isSigned(name)) signed.push([name, trimmed(of[name] ?? '')])
  signed.sort(byName)
  const names = signed.map(([name]) => name).join(';')
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  const query = search === '' ? '' : canonicalQuery(searchParams)
  return { names, text: `${method}\n${canonicalPath(pathname)}\n${query}\n${lines}\n${names}\n${body}` }
}

/** The last: of a request that Google sends to AWS, to learn who signed it. */
const isSigned = (name: string): boolean =>
  name === 'content-type' || name.startsWith('x-amz') || name.startsWith('x-goog-')

const trimmed = (value: string): string => value.trim().replace(/ {2,}/g, ' ')

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

/** What is encoded on the wire already is encoded once more: `:` of a model is `%3A` there, and `%253A` here. */
const canonicalPath = (path: string): string => encoded(path.replace(/\/{2,}/g, '/'), /[^\w\-.~/]/g)

const canonicalQuery = (parameters: URLSearchParams): string =>
  [...parameters]
    .map(([name, value]): [string, string] => [strict(name), strict(value)])
    .sort(([one, first], [other, second]) => (one === other ? (first < second ? -1 : 1) : one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const strict = (text: string): string => encoded(encodeURIComponent(text.toWellFormed()), /[!'()*]/g)

/** All that matches is ASCII. */
const encoded = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

const hmac = (key: Uint8Array, text: string): Buffer => new Bun.CryptoHasher('sha256', key).update(text).digest()

/** Without joining the pieces. */
function hashOf(pieces: Pieces): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const piece of pieces) hasher.update(piece)
  return hasher.digest('hex')
}

type Upload = Exclude<AboutToBeSent['body'], Pieces>

async function hashOfStream(body: Upload): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const piece of body.open()) hasher.update(piece)
  return hasher.digest('hex')
}
