// A fingerprint of the active configuration, to detect config drift between nodes. It excludes secrets and local paths:
// it is shown to operators, and certificates may be in different places on different nodes. It excludes the memory limit as
// well, which follows each node's own memory.
import { createHash } from 'node:crypto'
import { publicAuth } from './secret-paths.ts'
import type { FileConfig } from './types.ts'

/** Equal entries are the same configuration, wherever they come from. */
type Hashed = Omit<FileConfig, 'hash' | 'warnings' | 'revision' | 'fileHash'>

export function hashConfig(config: Hashed): string {
  const { upstreams, server, media, mail, alerts, signIn, ...rest } = config
  const publicPart = {
    ...rest,
    ...(media?.s3 ? { media: { ...media.s3, accessKey: '', secretKey: '' } } : {}),
    ...(mail ? { mail: { url: withoutCredentials(mail.url), from: mail.from } } : {}),
    alerts: { ...alerts, webhooks: alerts.webhooks.map(({ url }) => new URL(url).host) },
    signIn: { ...signIn, providers: signIn.providers.map((each) => ({ ...each, clientSecret: '' })) },
    server: {
      ...server,
      tls: server.tls !== undefined,
      metricsToken: server.metricsToken !== undefined,
      limits: { ...server.limits, memoryBytes: 0 },
    },
    upstreams: new Map(
      [...upstreams].map(([id, upstream]) => [
        id,
        {
          ...upstream,
          keys: upstream.keys.length,
          auth: publicAuth(upstream.auth),
          proxy: withoutCredentials(upstream.proxy),
        },
      ]),
    ),
  }
  return createHash('sha256').update(canonicalJson(publicPart)).digest('hex')
}

function withoutCredentials(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}

/** Canonical JSON: fields and map entries are sorted, lists keep their order. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}n"`
  if (value instanceof Map) return canonicalJson(Object.fromEntries([...value].map(([key, each]) => [`:${key}`, each])))
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}
