// Upstreams repeat the key that they were sent in the text of errors.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { Upstream } from '../config/types.ts'
import { secretsInUse } from './credentials/in-use.ts'

type Keyed = Pick<Upstream, 'keys' | 'auth'>

/** Shorter ones are no secrets, such as `none`, and words of other text. */
const SHORTEST_SECRET = 8

export const withoutKeys = ({ keys, auth }: Keyed, text: string): string =>
  (auth ? secretsInUse(auth) : keys).reduce(
    (rest, key) => (key.length < SHORTEST_SECRET ? rest : rest.replaceAll(key, '[key]')),
    text,
  )

/** The same of an error within a stream, which is decoded already. */
export const errorWithoutKeys = (upstream: Keyed, info: ErrorInfo): ErrorInfo => ({
  ...info,
  message: withoutKeys(upstream, info.message),
  ...(info.param === undefined ? {} : { param: withoutKeys(upstream, info.param) }),
  ...(info.detail === undefined ? {} : { detail: withoutKeys(upstream, info.detail) }),
})
