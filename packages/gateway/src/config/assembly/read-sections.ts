// Reads the sections of the whole configuration: defaults, the embedded models, and references between sections.
import { type AnyModel, DEFAULT_TYPE, MODEL_TYPES, type ModelType } from '../../modalities/index.ts'
import type { TokenPrice } from '../../money/prices/token-price.ts'
import { addMistake, lineOf, type ReadContext, type YamlValue } from '../../yaml/document.ts'
import { type Fields, itemsOf } from '../../yaml/fields.ts'
import { withKnownCapabilities, withKnownLimits } from '../known-models.ts'
import { unpricedEdit } from '../routes/read-edits.ts'
import {
  isEmbeddedOnly,
  SANDBOX_GROUP,
  SANDBOX_MODELS,
  SANDBOX_UPSTREAM,
  sandboxModels,
  sandboxUpstream,
} from '../sandbox.ts'
import { ALERT_DEFAULTS, readAlerts } from '../sections/alerts.ts'
import { CALLBACKS, readCallbacks } from '../sections/callbacks.ts'
import { COMPATIBILITY, readCompatibility } from '../sections/compatibility.ts'
import { CONSOLE, readConsole } from '../sections/console.ts'
import { ALL_MODELS, DEFAULT_GROUP, GROUPS_EXAMPLE, MULTIPLIER_ONE, readGroups } from '../sections/groups.ts'
import { readMail } from '../sections/mail.ts'
import { readMedia } from '../sections/media.ts'
import { MODELS_EXAMPLE, readModels } from '../sections/models.ts'
import { NOTICES, readNotices } from '../sections/notices/notices.ts'
import { readRegistration, registrationDefaults } from '../sections/registration.ts'
import { ATTRIBUTION, readAttribution } from '../sections/requests/attribution.ts'
import { ARCHIVE, RETENTION_DEFAULTS, readArchive, readRetention } from '../sections/retention.ts'
import { readSandboxSection, type WrittenSandbox } from '../sections/sandbox.ts'
import { readServer, serverDefaults } from '../sections/server.ts'
import { readSignIn, SIGN_IN } from '../sections/sign-in.ts'
import { readTools } from '../sections/tools.ts'
import { type ReadUpstreams, readUpstreams, UPSTREAMS_EXAMPLE } from '../sections/upstreams.ts'
import { defaultsOf } from '../settings/setting.ts'
import type { SettingDefaults } from '../settings/table.ts'
import type { EntryKind, StoredEntry, StoredValues } from '../stored.ts'
import type { FileConfig, Group, MailConfig, MediaConfig } from '../types.ts'
import type { BuiltIn } from '../upstream-kinds.ts'
import { type EnvironmentVendors, vendorsFromEnvironment } from './environment-vendors.ts'

/** What holds in every configuration where nothing is written. */
const FIXED_DEFAULTS = {
  retention: RETENTION_DEFAULTS,
  archive: defaultsOf(ARCHIVE),
  attribution: defaultsOf(ATTRIBUTION),
  callbacks: defaultsOf(CALLBACKS),
  compatibility: defaultsOf(COMPATIBILITY),
  alerts: ALERT_DEFAULTS,
  notices: defaultsOf(NOTICES),
  console: defaultsOf(CONSOLE),
  signIn: defaultsOf(SIGN_IN),
}

const SANDBOX_NAMES: readonly string[] = [SANDBOX_UPSTREAM, ...SANDBOX_MODELS]

/** Everything to read in one assembly. */
export type Written = {
  /** The context in which the file is read. */
  context: ReadContext
  /** The file's fields, with stored settings beneath. */
  fields: Fields | undefined
  stored: StoredValues
  /** Stored entries that are invalid. Other entries may name them, so that one mistake does not cause others. */
  leftOut: readonly StoredEntry[]
}

export type Sections = {
  config: Omit<FileConfig, 'hash' | 'warnings' | 'revision' | 'fileHash'>
  warnings: string[]
  vendors: EnvironmentVendors
  /** Entries of the lists, as they are written. */
  written: { kind: 'upstream' | 'model' | 'group'; value: YamlValue }[]
  /** Entries of the environment and of the store whose ids are taken. */
  shadowed: ReadonlySet<ReadContext>
  /** The values of settings that are not written. */
  defaults: SettingDefaults
}

export function readSections({ context, fields, stored, leftOut }: Written, builtIn: BuiltIn): Sections {
  const defaults = serverDefaults(builtIn.memoryBytes?.() ?? Number.POSITIVE_INFINITY, context.env)
  const optional: Fields['optional'] = (name, read, fallback) => fields?.optional(name, read, fallback) ?? fallback
  const itemsIn = (name: string, example: string): YamlValue[] => {
    const value = fields?.get(name)
    if (value) context.lines.set(name, lineOf(value))
    return (value && itemsOf(value, example)) ?? []
  }
  const leftOutOf = (kind: EntryKind) => leftOut.filter((entry) => entry.kind === kind)

  const ownUpstreams = itemsIn('upstreams', UPSTREAMS_EXAMPLE)
  const read = readUpstreams(ownUpstreams, builtIn.kinds)
  const vendors = vendorsFromEnvironment(context, read.ids, builtIn)
  readUpstreams([...vendors.upstreams, ...stored.upstreams], builtIn.kinds, read)
  const sandbox = optional<WrittenSandbox>('sandbox', readSandboxSection, { on: undefined, faults: undefined })
  // An invalid upstream must not open registration, nor bring the embedded models back.
  const hasRealUpstream = read.hasReal || leftOutOf('upstream').length > 0
  const on = sandbox.on ?? !hasRealUpstream
  if (!on) rejectSandboxes(read.sandboxes)

  const upstreams = new Map(read.upstreams)
  const known = new Set([...read.ids, ...leftOutOf('upstream').map(({ id }) => id)])
  if (on && !known.has(SANDBOX_UPSTREAM)) upstreams.set(SANDBOX_UPSTREAM, sandboxUpstream(SANDBOX_UPSTREAM))
  if (on) known.add(SANDBOX_UPSTREAM)
  const advice = (id: string): string | undefined =>
    !on && SANDBOX_NAMES.includes(id) ? 'the sandbox is off; write sandbox: true' : undefined

  const entries = [...itemsIn('models', MODELS_EXAMPLE), ...vendors.models, ...stored.models]
  const leftOutTypes = new Map(leftOutOf('model').map(({ id, value }) => [id, typeOf(value)]))
  const { priceList } = builtIn
  const { types, wildcards, ...listed } = readModels(
    entries,
    { ids: known, upstreams, advice, priceList },
    leftOutTypes,
  )
  const embedded = on ? sandboxModels().filter(({ id }) => !listed.models.has(id)) : []
  const all = [...listed.models.values(), ...embedded].map((model) => withKnownLimits(model, upstreams, builtIn))
  const models = byType(all.map((model) => withKnownCapabilities(model, upstreams, builtIn)))
  for (const { id, type } of models.values()) types.set(id, type)

  const registration = registrationDefaults(hasRealUpstream)
  const media = optional<MediaConfig | undefined>('media', readMedia, undefined)
  const mail = optional<MailConfig | undefined>('mail', readMail, undefined)
  const hasMail = fields?.get('mail') !== undefined || leftOutOf('setting').some(({ id }) => id.startsWith('mail.'))
  const tools = optional<FileConfig['tools']>('tools', readTools({ types, advice }), undefined)
  const groupEntries = [...itemsIn('groups', GROUPS_EXAMPLE), ...stored.groups]
  const groups = readGroups(groupEntries, { types, wildcards, advice, lackedBy: lackedBy(models) })
  const config: Sections['config'] = {
    server: optional('server', readServer(defaults), defaults),
    registration: optional('registration', readRegistration(registration), registration),
    sandbox: { on, faults: sandbox.faults ?? false, faultsWritten: sandbox.faults !== undefined },
    retention: optional('retention', readRetention, FIXED_DEFAULTS.retention),
    archive: optional('archive', readArchive, FIXED_DEFAULTS.archive),
    attribution: optional('attribution', readAttribution, FIXED_DEFAULTS.attribution),
    callbacks: optional('callbacks', readCallbacks, FIXED_DEFAULTS.callbacks),
    compatibility: optional('compatibility', readCompatibility, FIXED_DEFAULTS.compatibility),
    alerts: optional('alerts', readAlerts(hasMail), FIXED_DEFAULTS.alerts),
    notices: optional('notices', readNotices, FIXED_DEFAULTS.notices),
    console: optional('console', readConsole, FIXED_DEFAULTS.console),
    signIn: optional('sign_in', readSignIn, FIXED_DEFAULTS.signIn),
    ...(mail ? { mail } : {}),
    ...(media ? { media } : {}),
    ...(tools ? { tools } : {}),
    upstreams,
    models,
    ...(wildcards.size > 0 ? { wildcards } : {}),
    ...(vendors.date === undefined ? {} : { priceList: vendors.date }),
    groups: withDefaultGroups(
      groups.groups,
      leftOutOf('group').length > 0,
      on ? embeddedModels([...models.values()], upstreams) : undefined,
    ),
  }
  const shadowed = new Set([...read.shadowed, ...listed.shadowed, ...groups.shadowed].map(({ context }) => context))
  const shadowedVendors = vendors.models.filter((model) => shadowed.has(model.context))
  const warnings = [...vendors.warnings, ...shadowWarnings(shadowedVendors), ...missingPriceGroups(config)]
  const written = [
    ...[...ownUpstreams, ...vendors.upstreams, ...stored.upstreams].map((value) => ({
      kind: 'upstream' as const,
      value,
    })),
    ...entries.map((value) => ({ kind: 'model' as const, value })),
    ...groupEntries.map((value) => ({ kind: 'group' as const, value })),
  ].filter(({ value }) => !shadowed.has(value.context))
  const settingDefaults: SettingDefaults = {
    server: defaults,
    registration,
    sandbox: { on: !hasRealUpstream, faults: false, faultsWritten: false },
    ...FIXED_DEFAULTS,
  }
  return { config, warnings, vendors, shadowed, written, defaults: settingDefaults }
}

/** The type of a stored model that is invalid. */
function typeOf(value: unknown): ModelType {
  const written = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  return MODEL_TYPES.find((type) => type === written) ?? DEFAULT_TYPE
}

/** What a route of a text model sets may need a row that a group's own price lacks. */
const lackedBy =
  (models: ReadonlyMap<string, AnyModel>) =>
  (id: string, price: unknown): string | undefined => {
    for (const { edits, upstream } of models.get(id)?.routes ?? []) {
      const lacking = edits && unpricedEdit(edits, price as TokenPrice)
      if (lacking !== undefined) return `the route to ${upstream} ${lacking}, which this price lacks`
    }
    return undefined
  }

/** Lists show the models of one type together. */
const byType = (models: readonly AnyModel[]): Map<string, AnyModel> =>
  new Map(
    MODEL_TYPES.flatMap((type) => models.filter((model) => model.type === type)).map((model) => [model.id, model]),
  )

function shadowWarnings(models: readonly YamlValue[]): string[] {
  if (models.length === 0) return []
  const ids = models.map(({ path }) => path.slice('models['.length, -1))
  return [`the file's own models are used instead of the built-in ones of the same id: ${ids.join(', ')}`]
}

/** A group that does not exist is offered to nobody. */
const missingPriceGroups = ({ signIn, groups }: Sections['config']): string[] =>
  [
    ...signIn.providers.map(
      ({ id, priceGroups }) => [`providers[${id}].price_groups`, [...priceGroups.values()]] as const,
    ),
    ...signIn.apiTokens.map(
      ({ group, groups }, index) => [`api_tokens[${index}]`, [group ?? [], ...groups.values()].flat()] as const,
    ),
  ].flatMap(([at, named]) =>
    named
      .filter((group) => !groups.has(group))
      .map((group) => `sign_in.${at} names the group '${group}', which does not exist`),
  )

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
function withDefaultGroups(
  groups: Map<string, Group>,
  hasInvalid: boolean,
  sandbox: string[] | undefined,
): Map<string, Group> {
  const add = (id: string, models: string[]) => groups.set(id, { id, models, multiplierMillionths: MULTIPLIER_ONE })
  if (groups.size === 0 && !hasInvalid) add(DEFAULT_GROUP, [ALL_MODELS])
  if (sandbox && !groups.has(SANDBOX_GROUP)) add(SANDBOX_GROUP, sandbox)
  return groups
}
