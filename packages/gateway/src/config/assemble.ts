// Assembles the sections: defaults, the embedded models, references between sections, and warnings.
import { type AnyModel, MODEL_TYPES } from '../modalities/index.ts'
import { addMistake, type Mistake, parseDocumentOf, type ReadContext } from '../yaml/document.ts'
import { type Fields, fieldsOf } from '../yaml/fields.ts'
import { vendorsFromEnvironment } from './environment-vendors.ts'
import { hashConfig } from './hash.ts'
import { withKnownCapabilities, withKnownLimits } from './known-models.ts'
import {
  isEmbeddedOnly,
  SANDBOX_GROUP,
  SANDBOX_MODELS,
  SANDBOX_UPSTREAM,
  sandboxModels,
  sandboxUpstream,
} from './sandbox.ts'
import { ALERT_DEFAULTS, readAlerts } from './sections/alerts.ts'
import { CALLBACK_DEFAULTS, readCallbacks } from './sections/callbacks.ts'
import { CONSOLE_DEFAULTS, readConsole } from './sections/console.ts'
import { ALL_MODELS, DEFAULT_GROUP, MULTIPLIER_ONE, readGroups } from './sections/groups.ts'
import { readMail } from './sections/mail.ts'
import { readMedia } from './sections/media.ts'
import { readModels } from './sections/models.ts'
import { isLitellmFile } from './sections/other-gateways.ts'
import { readRegistration, registrationDefaults } from './sections/registration.ts'
import { RETENTION_DEFAULTS, readRetention } from './sections/retention.ts'
import { readSandboxSection, type WrittenSandbox } from './sections/sandbox.ts'
import { readServer, serverDefaults } from './sections/server.ts'
import { readTools } from './sections/tools.ts'
import { type ReadUpstreams, readUpstreams } from './sections/upstreams.ts'
import type { FileConfig, Group, MailConfig, MediaConfig } from './types.ts'
import type { BuiltIn } from './upstream-kinds.ts'
import { configWarnings } from './warnings.ts'

export type LoadResult = { config: FileConfig; mistakes: [] } | { config?: undefined; mistakes: Mistake[] }

const SECTIONS = {
  server: true,
  registration: true,
  sandbox: true,
  retention: true,
  upstreams: true,
  models: true,
  groups: true,
  media: true,
  callbacks: true,
  alerts: true,
  mail: true,
  console: true,
  tools: true,
} as const

const SANDBOX_NAMES: readonly string[] = [SANDBOX_UPSTREAM, ...SANDBOX_MODELS]

const NOTHING_BUILT_IN: BuiltIn = {
  kinds: new Map(),
  priceList: () => ({ date: '1970-01-01', vendors: [] }),
  limits: () => undefined,
  capabilities: () => undefined,
  now: () => 0,
}

/**
 * An empty source gives the defaults. `env` supplies `${NAME}`, and the keys of vendors that an environment variable
 * alone enables.
 */
export function assemble(
  source: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  builtIn = NOTHING_BUILT_IN,
): LoadResult {
  const { context, root } = parseDocumentOf(source, file, env)
  const isForeign = root !== undefined && isLitellmFile(root)
  const fields = isForeign ? undefined : root && fieldsOf(root, SECTIONS, 'server: { ... } or models: [ ... ]')
  const read = context.mistakes.length > 0 && !fields ? undefined : readSections(fields, context, builtIn)
  // Sorted by line, so that an operator can work from top to bottom.
  context.mistakes.sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
  if (!read || context.mistakes.length > 0) return { mistakes: context.mistakes }
  const { config } = read
  const warnings = [...context.warnings, ...configWarnings(config, context.lines), ...read.warnings]
  return { config: freeze({ ...config, hash: hashConfig(config), warnings }), mistakes: [] }
}

type Sections = { config: Omit<FileConfig, 'hash' | 'warnings'>; warnings: string[] }

function readSections(fields: Fields | undefined, context: ReadContext, builtIn: BuiltIn): Sections {
  const defaults = serverDefaults(builtIn.memoryBytes?.() ?? Number.POSITIVE_INFINITY, context.env)
  const optional: Fields['optional'] = (name, read, fallback) => fields?.optional(name, read, fallback) ?? fallback
  const read = readUpstreams(fields?.get('upstreams'), builtIn.kinds)
  const vendors = vendorsFromEnvironment(context, read.ids, builtIn)
  const written = optional<WrittenSandbox>('sandbox', readSandboxSection, { on: undefined, faults: undefined })
  const hasRealUpstream = read.hasReal || vendors.upstreams.length > 0
  const on = written.on ?? !hasRealUpstream
  if (!on) rejectSandboxes(read.sandboxes)

  const upstreams = new Map(read.upstreams)
  const known = new Set(read.ids)
  for (const upstream of vendors.upstreams) {
    upstreams.set(upstream.id, upstream)
    known.add(upstream.id)
  }
  if (on && !known.has(SANDBOX_UPSTREAM)) upstreams.set(SANDBOX_UPSTREAM, sandboxUpstream(SANDBOX_UPSTREAM))
  if (on) known.add(SANDBOX_UPSTREAM)
  const advice = (id: string): string | undefined =>
    !on && SANDBOX_NAMES.includes(id) ? 'the sandbox is off; write sandbox: true' : undefined

  const file = readModels(fields?.get('models'), { ids: known, upstreams, advice })
  const { types } = file
  const shadowed = vendors.models.map(({ id }) => id).filter((id) => types.has(id))
  const own = [...file.models.values(), ...(on ? sandboxModels().filter(({ id }) => !types.has(id)) : [])]
  const added = vendors.models.filter(({ id }) => !types.has(id))
  const all = [...own.map((model) => withKnownLimits(model, upstreams, builtIn)), ...added]
  const models = byType(all.map((model) => withKnownCapabilities(model, upstreams, builtIn)))
  for (const { id, type } of models.values()) types.set(id, type)

  const warnings: string[] = []
  const registration = registrationDefaults(hasRealUpstream)
  const media = optional<MediaConfig | undefined>('media', readMedia, undefined)
  const mail = optional<MailConfig | undefined>('mail', readMail, undefined)
  const tools = optional<FileConfig['tools']>('tools', readTools({ types, advice }), undefined)
  const config: Sections['config'] = {
    server: optional('server', readServer(defaults), defaults),
    registration: optional('registration', readRegistration(registration), registration),
    sandbox: { on, faults: written.faults ?? false, faultsWritten: written.faults !== undefined },
    retention: optional('retention', readRetention, RETENTION_DEFAULTS),
    callbacks: optional('callbacks', readCallbacks, CALLBACK_DEFAULTS),
    alerts: optional('alerts', readAlerts(fields?.get('mail') !== undefined), ALERT_DEFAULTS),
    console: optional('console', readConsole, CONSOLE_DEFAULTS),
    ...(mail ? { mail } : {}),
    ...(media ? { media } : {}),
    ...(tools ? { tools } : {}),
    upstreams,
    models,
    ...(vendors.date === undefined ? {} : { priceList: vendors.date }),
    groups: withDefaultGroups(
      readGroups(fields?.get('groups'), { types, advice }),
      on ? embeddedModels([...models.values()], upstreams) : undefined,
    ),
  }
  return { config, warnings: [...vendors.warnings, ...shadowWarnings(shadowed), ...warnings] }
}

/** Lists show the models of one type together. */
const byType = (models: readonly AnyModel[]): Map<string, AnyModel> =>
  new Map(
    MODEL_TYPES.flatMap((type) => models.filter((model) => model.type === type)).map((model) => [model.id, model]),
  )

function shadowWarnings(ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  return [`the file's own models are used instead of the built-in ones of the same id: ${ids.join(', ')}`]
}

function rejectSandboxes(sandboxes: ReadUpstreams['sandboxes']): void {
  for (const each of sandboxes) addMistake(each, 'kind: sandbox, but the sandbox is off; write sandbox: true')
}

function embeddedModels(models: readonly AnyModel[], upstreams: FileConfig['upstreams']): string[] {
  return models
    .filter((model) => isEmbeddedOnly(model, upstreams))
    .map(({ id }) => id)
    .sort()
}

/** Without configured groups, `default` has every model. The sandbox's group is for the key of the first start. */
function withDefaultGroups(groups: Map<string, Group>, sandbox: string[] | undefined): Map<string, Group> {
  const add = (id: string, models: string[]) => groups.set(id, { id, models, multiplierMillionths: MULTIPLIER_ONE })
  if (groups.size === 0) add(DEFAULT_GROUP, [ALL_MODELS])
  if (sandbox && !groups.has(SANDBOX_GROUP)) add(SANDBOX_GROUP, sandbox)
  return groups
}

/**
 * Every request shares the configuration, so it must not change. Maps and lists are read-only by type only: engines treat a
 * frozen list like a map, and recompile the code that reads it.
 */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const parts = value instanceof Map ? value.values() : Object.values(value)
  for (const part of parts) freeze(part)
  return Array.isArray(value) ? value : Object.freeze(value)
}
