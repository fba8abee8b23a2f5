// Describes what a reload changed, for the log. Values are not shown: some are secret.
import { canonicalJson } from './hash.ts'
import type { FileConfig } from './types.ts'

export type Change = {
  /** Such as `models[gpt-x].price changed`. */
  what: string
  /** The change takes effect at the next start: the listener or the media store was opened with the old value. */
  restart: boolean
}

export function describeChanges(before: FileConfig, after: FileConfig): Change[] {
  return [
    ...fieldChanges('server', before.server, after.server),
    ...fieldChanges('registration', before.registration, after.registration),
    ...fieldChanges('sandbox', before.sandbox, after.sandbox),
    ...fieldChanges('retention', before.retention, after.retention),
    ...fieldChanges('archive', before.archive, after.archive),
    ...fieldChanges('media', before.media ?? {}, after.media ?? {}),
    ...fieldChanges('mail', before.mail ?? {}, after.mail ?? {}),
    ...fieldChanges('alerts', before.alerts, after.alerts),
    ...fieldChanges('console', before.console, after.console),
    ...fieldChanges('sign_in', before.signIn, after.signIn),
    ...fieldChanges('tools', before.tools ?? {}, after.tools ?? {}),
    ...entryChanges('upstreams', before.upstreams, after.upstreams),
    ...entryChanges('models', before.models, after.models),
    ...entryChanges('groups', before.groups, after.groups),
  ]
}

// Derived from other fields, which are listed themselves.
const DERIVED = new Set([
  'priceVersion',
  'faultsWritten',
  'service',
  'healthPath',
  'framing',
  'lists',
  'embedded',
  'images',
  'imageTimeouts',
])

function fieldChanges(path: string, before: object, after: object): Change[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  // An optional field may be present only before or only after.
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => !DERIVED.has(name) && canonicalJson(now.get(name)) !== canonicalJson(old.get(name)),
  )
  return [...new Set(changed.map(snake))].map((name) => ({
    what: `${path}.${name} changed`,
    restart: path === 'media' || (path === 'server' && name === 'tls'),
  }))
}

function entryChanges(path: string, before: ReadonlyMap<string, object>, after: ReadonlyMap<string, object>): Change[] {
  const gone = [...before.keys()].filter((id) => !after.has(id))
  const changed = [...after].flatMap(([id, entry]): Change[] => {
    const old = before.get(id)
    return old ? fieldChanges(`${path}[${id}]`, old, entry) : [{ what: `${path}[${id}] added`, restart: false }]
  })
  return [...gone.map((id) => ({ what: `${path}[${id}] removed`, restart: false })), ...changed]
}

/** The name in the file: `drain` for `drainMs`, `base_url` for `baseUrl`. */
function snake(name: string): string {
  if (name === 'endpoints') return 'dialect'
  return name.replace(/(Ms|Millionths)$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
