// Whether a request to AWS is signed as another library signs it, with keys that are known and at a time that is now.
import { sign } from 'aws4'

export type KnownKeys = { secretKey: string; sessionToken?: string; expiresAt?: number }
export type SignedRequest = { method: string; url: string; headers: Record<string, string>; body: string }
type Expected = { service: string; now: number; keys: ReadonlyMap<string, KnownKeys> }

const MOST_SKEW_MS = 5 * 60_000
const PATTERN =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=[0-9a-f]{64}$/
/** Added by the library that judges, if they are not there. */
const ADDED = ['content-type', 'content-length']

/** The access key that it is signed with; else the code and message of AWS's error. */
export function signerOf(
  request: SignedRequest,
  { service, now, keys }: Expected,
): { accessKey: string; region: string } | [string, string] {
  const { headers } = request
  const [, accessKey = '', day, region = '', signedService, names = ''] =
    PATTERN.exec(headers.authorization ?? '') ?? []
  const known = keys.get(accessKey)
  const date = headers['x-amz-date'] ?? ''
  const [, stamp = '', hours = '', minutes = '', seconds = ''] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const at = Date.parse(`${stamp.replace(/(....)(..)(..)/, '$1-$2-$3')}T${hours}:${minutes}:${seconds}Z`)
  if (!known) return ['InvalidClientTokenId', 'The security token included in the request is invalid.']
  if (!(Math.abs(now - at) <= MOST_SKEW_MS) || stamp !== day)
    return ['SignatureDoesNotMatch', `Signature expired: ${date} is now earlier or later than allowed`]
  if (known.expiresAt !== undefined && known.expiresAt <= now)
    return ['ExpiredToken', 'The security token included in the request is expired']
  if (known.sessionToken !== headers['x-amz-security-token'])
    return ['InvalidClientTokenId', 'The security token included in the request is invalid.']
  const signed = names.split(';')
  for (const needed of ['host', 'x-amz-date', ...(known.sessionToken === undefined ? [] : ['x-amz-security-token'])])
    if (!signed.includes(needed)) return ['SignatureDoesNotMatch', `${needed} is not signed`]
  const { host, pathname, search } = new URL(request.url)
  const again = sign(
    {
      ...request,
      host: headers.host ?? host,
      path: pathname + search,
      service,
      region,
      headers: Object.fromEntries(signed.map((name) => [name, headers[name] ?? ''])),
      extraHeadersToIgnore: Object.fromEntries(
        ADDED.filter((name) => !signed.includes(name)).map((name) => [name, true]),
      ),
    },
    { accessKeyId: accessKey, secretAccessKey: known.secretKey },
  )
  const isRight = signedService === service && again.headers.Authorization === headers.authorization
  return isRight
    ? { accessKey, region }
    : ['SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.']
}
