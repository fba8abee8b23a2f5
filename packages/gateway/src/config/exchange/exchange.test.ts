// Export and import: a configuration from any mix of file, environment and store is the same after both.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generate } from '../../../test-support/generate-configuration.ts'
import { setAt } from '../../../test-support/spread-configuration.ts'
import { BUILT_IN } from '../../server/config.ts'
import { type Assembled, assemble, type Sources } from '../assemble.ts'
import { canonicalJson } from '../hash.ts'
import { mapSecrets } from '../secret-paths.ts'
import type { StoredEntry } from '../stored.ts'
import type { FileConfig, Upstream } from '../types.ts'
import { exportConfig } from './export.ts'
import { importedEntries } from './import.ts'

const FILE = join(import.meta.dir, '../../../fixtures/trivium.yaml')
const FIRST = Number(process.env.TRIVIUM_TEST_SEED ?? Math.floor(Math.random() * 1_000_000))
const SEEDS = Array.from({ length: 40 }, (_, index) => FIRST + index)

function load(sources: Partial<Sources>): Assembled {
  const result = assemble({ source: '', file: FILE, env: {}, ...sources }, BUILT_IN)
  if (!result.config) throw new Error(`${JSON.stringify(result.mistakes, null, 1)}\n${sources.source}`)
  return result
}

/** What a vendor's variable adds does not come from the price list any more, once it is written. */
const inForce = ({ hash, warnings, revision, fileHash, priceList, ...config }: FileConfig) => canonicalJson(config)

/** The value behind each placeholder. */
function secretsOf({ written }: Assembled): Map<string, string> {
  const secrets = new Map<string, string>()
  for (const entry of written().values()) {
    mapSecrets(entry, (secret, path) => {
      secrets.set(entry.kind === 'setting' ? path : `${entry.kind}s[${entry.id}].${path}`, String(secret))
      return secret
    })
  }
  return secrets
}

function exported(before: Assembled) {
  const { text, secrets } = exportConfig(before)
  const values = secretsOf(before)
  return { text, secrets, filled: Object.fromEntries(secrets.map(({ name, of }) => [name, values.get(of) ?? ''])) }
}

function imported(text: string, env: Record<string, string>) {
  const { entries, leftOut } = importedEntries(load({ source: text, env }))
  const stored = JSON.parse(JSON.stringify(entries)).map((entry: StoredEntry) => ({ ...entry, revision: 1 }))
  return { after: load({ stored }), leftOut }
}

/** Without what only a file can have. */
function storable({ server, media, mail, callbacks, alerts, signIn, upstreams, ...rest }: FileConfig): FileConfig {
  const { ca, ...letters } = mail ?? {}
  return {
    ...rest,
    server: { ...server, tls: undefined, trustedProxies: [], admin: true },
    ...(media?.s3 ? { media } : {}),
    ...(mail ? { mail: letters as typeof mail } : {}),
    callbacks: { ...callbacks, allowPrivate: false },
    signIn: { ...signIn, providers: signIn.providers.map((each) => ({ ...each, allowPrivate: false })) },
    alerts: { ...alerts, allowPrivate: false },
    upstreams: new Map([...upstreams].map(([id, upstream]) => [id, storableUpstream(upstream)])),
  }
}

function storableUpstream({ auth, ...upstream }: Upstream): Upstream {
  const plain = { ...upstream, allowPrivate: false }
  if (auth?.type === 'aws') {
    const { profile, roleArn, externalId, ...rest } = auth
    return { ...plain, auth: rest }
  }
  if (auth?.type !== 'google' || !auth.credentials?.startsWith('/')) return auth ? { ...plain, auth } : plain
  const { credentials, ...rest } = auth
  return { ...plain, auth: rest }
}

test.each(SEEDS)('seed %d: exported and imported, the configuration in force is the same', (seed) => {
  const { source, env, stored } = generate(seed)
  const before = load({ source, env, stored })
  const { text, filled } = exported(before)
  for (const value of secretsOf(before).values()) {
    if (value !== 'none' && !value.startsWith('/') && !(value.startsWith('http') && !value.includes('@')))
      expect(text).not.toContain(value)
  }
  expect(inForce(load({ source: text, file: '/elsewhere/trivium.yaml', env: filled }).config)).toBe(
    inForce(before.config),
  )
  const { after } = imported(text, filled)
  expect(after.invalid).toEqual([])
  expect(inForce(after.config)).toBe(inForce(storable(before.config)))
})

describe('the generated configurations', () => {
  const shapes = new Map<string, { names: Set<string>; sample: object }>()

  test('have every field that the sections know', () => {
    for (let seed = 1; seed <= 250; seed++) {
      const file = fileOf(seed)
      collect(file, '', file)
    }
    const known = [...shapes].map(([shape, { names, sample }]) => ({ shape, names, known: knownFields(sample) }))
    // Maps with names of any kind, such as tiers, know no fields.
    expect(known.filter((each) => each.known.length > 0).length).toBeGreaterThan(30)
    const missing = known.flatMap(({ shape, names, known }) => {
      return known
        .filter((name) => !names.has(name) && !UNSUPPORTED.test(`${shape}.${name}`))
        .map((name) => `${shape}.${name}`)
    })
    expect(missing).toEqual([])
  })

  /** Fields that only have a message, and the section that stays where it is. */
  const UNSUPPORTED =
    /^(\.secrets|alerts\.audit_failed|models (image|video|embedding)\.(fallbacks|routes\.(set|default|drop|headers|system))|(models|groups).*\.(per_image|per_second|per_video|per_million_tokens|variants|input|output|context|max_output|sizes|qualities))$/

  type Json = { [name: string]: unknown }

  function fileOf(seed: number): Json {
    const file: Json = {}
    for (const { kind, id, value } of generate(seed).entries) {
      if (kind === 'setting') setAt(file, id.split('.'), value)
      else file[`${kind}s`] = [...((file[`${kind}s`] as object[]) ?? []), { id, ...(value as object) }]
    }
    return JSON.parse(JSON.stringify(file))
  }

  /** Notes the fields of each map, and for each kind of map one file in which it has a field that nobody knows. */
  function collect(value: unknown, path: string, file: Json): void {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const item of value) collect(item, shapeOf(path, item), file)
      return
    }
    const map = value as Json
    // Prices of groups are read like those of models.
    if (path === 'groups.prices') return
    if (!shapes.has(path)) {
      map[UNKNOWN] = 1
      shapes.set(path, { names: new Set(), sample: structuredClone(file) })
      delete map[UNKNOWN]
    }
    for (const name of Object.keys(map)) shapes.get(path)?.names.add(name)
    for (const [name, each] of Object.entries(map)) collect(each, `${path}${path === '' ? '' : '.'}${name}`, file)
  }

  const UNKNOWN = 'zzzzzzzzzzzz'
  /** Models of each type have fields of their own. */
  const shapeOf = (path: string, item: unknown): string =>
    path === 'models' ? `models ${(item as { type?: string }).type ?? 'text'}` : path

  function knownFields(file: object): string[] {
    const { mistakes } = assemble({ source: JSON.stringify(file), file: FILE, env: {} }, BUILT_IN)
    const found = mistakes.map(({ message }) => /unknown field "z+"; known fields: (.*)$/.exec(message)?.[1])
    return found.find((list) => list !== undefined)?.split(', ') ?? []
  }
})
