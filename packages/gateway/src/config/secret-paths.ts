// Where the configuration has secrets. In the store each is sealed, and only named in the value of its entry.
import type { UpstreamAuth } from './types.ts'

/** Secret fields of `auth`, by their names in the file. */
const AUTH_SECRETS = {
  access_key: 'accessKey',
  secret_key: 'secretKey',
  session_token: 'sessionToken',
  client_secret: 'clientSecret',
  credentials: 'credentials',
} as const

export const isAuthSecret = (name: string): boolean => Object.hasOwn(AUTH_SECRETS, name)

/** `*`: each item of a list. Settings by their whole path. */
const SECRET_PATHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  upstream: [['keys', '*'], ['proxy'], ...Object.keys(AUTH_SECRETS).map((name) => ['auth', name])],
  setting: [
    ['mail', 'url'],
    ['alerts', 'webhooks', '*', 'secret'],
    // At Slack, Discord and Teams the path of the URL is the secret.
    ['alerts', 'webhooks', '*', 'url'],
    ['sign_in', 'providers', '*', 'client_secret'],
    ['server', 'metrics_token'],
    ['media', 's3', 'access_key'],
    ['media', 's3', 'secret_key'],
  ],
}

/** `path`: where the secret is in the entry, such as `keys.0`. */
type Replace = (secret: unknown, path: string) => unknown

/** A copy of an entry's value in which `replace` has been applied to every secret. What is absent stays absent. */
export function mapSecrets(
  { kind, id, value }: { kind: string; id: string; value: unknown },
  replace: Replace,
): unknown {
  const own = kind === 'setting' ? id.split('.') : []
  const within = (SECRET_PATHS[kind] ?? []).filter((path) => own.every((step, index) => path[index] === step))
  return within.reduce((mapped, path) => mapAt(mapped, path.slice(own.length), replace, own), value)
}

function mapAt(value: unknown, [step, ...rest]: readonly string[], replace: Replace, at: readonly string[]): unknown {
  if (step === undefined) return replace(value, at.join('.'))
  if (typeof value !== 'object' || value === null) return value
  if (step === '*') {
    const items = Array.isArray(value) ? value : undefined
    return items ? items.map((item, index) => mapAt(item, rest, replace, [...at, String(index)])) : value
  }
  if (!Object.hasOwn(value, step)) return value
  return { ...value, [step]: mapAt(Reflect.get(value, step), rest, replace, [...at, step]) }
}

/** The JSON of a Google credential; anything else is the path of a file, which is no secret. */
export const isCredentialJson = (text: string): boolean => text.trimStart().startsWith('{')

/** What must not be shown of what authorises requests. */
export const secretsOfAuth = (auth: UpstreamAuth | undefined): string[] =>
  Object.values(AUTH_SECRETS).flatMap((name) => {
    const value: unknown = auth && Reflect.get(auth, name)
    return typeof value === 'string' && (name !== 'credentials' || isCredentialJson(value)) ? [value] : []
  })

/** Without secrets and paths of files. */
export const publicAuth = (auth: UpstreamAuth | undefined): object | undefined =>
  auth && { ...auth, ...Object.fromEntries(Object.values(AUTH_SECRETS).map((name) => [name, undefined])) }

/** The last characters of a shorter secret would tell too much. */
const SHORTEST_SHOWN = 12

/** By what a secret is told from others: its last four characters or, of the URL of a webhook, its host. */
export function markOf(secret: string, path: string): string {
  if (/\.webhooks\.\d+\.url$/.test(`.${path}`)) return URL.canParse(secret) ? new URL(secret).host : ''
  if (path === 'auth.credentials') return ''
  return secret.length < SHORTEST_SHOWN ? '' : secret.slice(-4)
}
