// Section `upstreams`: the services that models are routed to.
import { classifyUrl, isMetadataUrl } from '@trivium/http/addresses/url-guard.ts'
import { DIALECTS, TEXT_DIALECT_IDS } from '@trivium/protocol/dialects/index.ts'
import { isScalar } from 'yaml'
import { SERVICE_PATHS } from '../../endpoints/index.ts'
import { addMistake, addWarning, lineOf, type YamlValue } from '../../yaml/document.ts'
import { FILE_ONLY, type Fields, fieldsOf, listOf, quoteSource, type Reader, scalarText } from '../../yaml/fields.ts'
import {
  readBoolean,
  readDuration,
  readId,
  readInteger,
  readUrl,
  readWord,
  TIMER,
  withoutTrailingSlash,
} from '../../yaml/scalars.ts'
import { readLimitsOf } from '../routes/read-limits.ts'
import { SANDBOX_KIND, SANDBOX_UPSTREAM, sandboxUpstream } from '../sandbox.ts'
import type { Timeouts, Upstream, UpstreamDialect } from '../types.ts'
import { IMAGE_TIMEOUT_DEFAULTS, TIMEOUT_DEFAULTS, upstreamDefaults } from '../upstream-defaults.ts'
import { hasServices } from '../upstream-dialects.ts'
import {
  PLACE_FIELDS,
  standardEndpoint,
  standardImages,
  standardServices,
  standardVideos,
  type UpstreamKind,
} from '../upstream-kinds.ts'
import { readKind, readKindSettings } from './upstream-kind.ts'
import { dialectAdvice } from './upstreams/other-gateways.ts'
import { readAuth, rejectOtherHosts } from './upstreams/upstream-auth.ts'
import { readHttp } from './upstreams/upstream-http.ts'

export const UPSTREAM_FIELDS = {
  id: true,
  kind: true,
  dialect: true,
  base_url: true,
  region: true,
  project: true,
  location: true,
  resource: true,
  api_version: true,
  keys: true,
  auth: true,
  max_concurrency: true,
  max_concurrency_per_key: true,
  limits: true,
  quota: true,
  breaker: true,
  timeouts: true,
  proxy: true,
  http: true,
  allow_private: FILE_ONLY,
  shared_objects: true,
  bills_on_abort: true,
} as const
const TIMEOUT_FIELDS = { first_byte: true, idle: true, total: true } as const
const EXAMPLE = '{ id: local, dialect: chat, base_url: "http://127.0.0.1:11434/v1", keys: ["none"] }'

const NO_KEY = 'write keys: ["none"] if the upstream takes no key'

const DIALECT_IDS = Object.keys(DIALECTS) as readonly UpstreamDialect[]

type Kinds = ReadonlyMap<string, UpstreamKind>

export type ReadUpstreams = {
  lines: Map<string, number>
  /** Entries whose ids are taken by an entry of the file or the environment. */
  shadowed: YamlValue[]
  upstreams: Map<string, Upstream>
  /** Includes upstreams with mistakes, so that a route to one is not reported as well. */
  ids: Set<string>
  /** Entries of kind `sandbox`, rejected if the sandbox is off. */
  sandboxes: YamlValue[]
  /** Something other than the sandbox is configured. */
  hasReal: boolean
}

export const UPSTREAMS_EXAMPLE = `- ${EXAMPLE}`

/** Adds entries to those that have been read. Where ids are equal, the first entry counts. */
export function readUpstreams(items: readonly YamlValue[], kinds: Kinds, result = noUpstreams()): ReadUpstreams {
  const { lines } = result
  for (const item of items) {
    const fields = fieldsOf(item, UPSTREAM_FIELDS, EXAMPLE)
    if (!fields) continue
    const id = fields.required('id', readId, 'give the upstream a name of your choice')
    const first = id === undefined ? undefined : lines.get(id)
    if (first !== undefined && item.context.isLiteral) {
      result.shadowed.push(item)
      continue
    }
    const kindField = fields.get('kind')
    const kind = kindField && readKind(kindField, kinds)
    if (kind === SANDBOX_KIND) result.sandboxes.push(item)
    else result.hasReal = true
    const upstream =
      kind === SANDBOX_KIND ? readSandbox(fields, id ?? '', kinds) : readReal(fields, id ?? '', kind, kinds)
    if (id === undefined) continue
    if (id === SANDBOX_UPSTREAM && kind !== SANDBOX_KIND) {
      addMistake(item, 'the id sandbox is reserved for the sandbox models; choose another')
    }
    if (first !== undefined) addMistake(item, `duplicate upstream id; the first is on line ${first}`)
    lines.set(id, first ?? lineOf(item))
    item.context.lines.set(`upstream ${id}`, lineOf(item))
    result.ids.add(id)
    result.upstreams.set(id, upstream)
  }
  return result
}

const noUpstreams = (): ReadUpstreams => ({
  lines: new Map(),
  shadowed: [],
  upstreams: new Map(),
  ids: new Set(),
  sandboxes: [],
  hasReal: false,
})

/** Settings that every kind of upstream has. */
function readCommon(
  fields: Fields,
  id: string,
  { breaker = true, idleMs }: { breaker?: boolean; idleMs?: number } = {},
) {
  const optional: (field: string) => number | undefined = (field) =>
    fields.optional<number | undefined>(field, readInteger({ min: 1, max: 1_000_000 }), undefined)
  return {
    id,
    maxConcurrency: optional('max_concurrency'),
    maxConcurrencyPerKey: optional('max_concurrency_per_key'),
    ...readLimitsOf(fields),
    quota: fields.optional<string | undefined>('quota', readId, undefined),
    breaker: fields.optional('breaker', readBoolean, breaker),
    ...timeoutsOf(fields.optional<Partial<Timeouts> | undefined>('timeouts', readTimeouts, undefined), idleMs),
    billsOnAbort: fields.optional('bills_on_abort', readWord<'nothing' | 'input'>(['nothing', 'input']), 'nothing'),
  }
}

function readSandbox(fields: Fields, id: string, kinds: Kinds): Upstream {
  for (const name of [
    'base_url',
    ...PLACE_FIELDS,
    'api_version',
    'keys',
    'auth',
    'proxy',
    'http',
    'allow_private',
    'shared_objects',
  ]) {
    const field = fields.get(name)
    if (field) addMistake(field, 'the sandbox models have no such setting; remove it')
  }
  const dialect = fields.optional<UpstreamDialect | undefined>('dialect', readDialect(kinds), undefined)
  return { ...sandboxUpstream(id), ...readCommon(fields, id, { breaker: false }), dialect }
}

/** `kind`: undefined if the file has none, or an unknown one. */
function readReal(fields: Fields, id: string, kind: UpstreamKind | undefined, kinds: Kinds): Upstream {
  const readKeys = listOf(readKey, `["\${MY_KEY}"]`, NO_KEY)
  const auth = readAuth(fields, kind, kinds)
  const isKeyless = kind?.keyless || auth !== undefined || fields.get('auth') !== undefined
  const keys = isKeyless ? fields.optional('keys', readKeys, ['none']) : fields.required('keys', readKeys, NO_KEY)
  const upstream: Upstream = {
    ...upstreamDefaults(id),
    ...readCommon(fields, id, kind),
    ...(kind ? readKindSettings(fields, kind) : readCustom(fields, kinds)),
    keys: auth ? [auth.type] : (keys ?? []),
    ...(auth ? { auth } : {}),
    proxy: fields.optional<string | undefined>('proxy', readProxy, undefined),
    allowPrivate: fields.optional('allow_private', readBoolean, false),
    sharedObjects: fields.optional('shared_objects', readBoolean, false),
  }
  rejectForbiddenHosts(fields, upstream)
  rejectOtherHosts(fields, upstream)
  return { ...upstream, ...readHttp(fields, upstream) }
}

/**
 * Who may store upstreams must not read the credentials of the machine: its metadata service is no upstream. The file may name hosts
 * that are special otherwise.
 */
function rejectForbiddenHosts(fields: Fields, { baseUrl, proxy }: Upstream): void {
  for (const [name, url] of [
    ['base_url', baseUrl],
    ['proxy', proxy],
  ] as const) {
    const field = fields.get(name)
    if (field && url && (isMetadataUrl(url) || (field.context.isLiteral && classifyUrl(url) === 'forbidden')))
      addMistake(field, 'names a metadata service, or a host that cannot be an upstream')
  }
}

function readCustom(
  fields: Fields,
  kinds: Kinds,
): Pick<Upstream, 'dialect' | 'baseUrl' | 'endpoints' | 'images' | 'videos' | 'services'> {
  // An unknown kind would have supplied dialect and base_url: do not report them as missing.
  const hasKind = fields.get('kind') !== undefined
  for (const name of hasKind ? [] : [...PLACE_FIELDS, 'api_version']) {
    const field = fields.get(name)
    if (field) addMistake(field, `an upstream without kind has no ${name}s; write its base_url`)
  }
  const dialect = hasKind
    ? fields.optional<UpstreamDialect | undefined>('dialect', readDialect(kinds), undefined)
    : fields.required('dialect', readDialect(kinds), `write one of ${DIALECT_IDS.join(', ')}`)
  const readBase = (value: YamlValue): string | undefined => readBaseUrl(value, dialect ?? writtenDialect(fields))
  const baseUrl = hasKind
    ? fields.optional<string | undefined>('base_url', readBase, undefined)
    : fields.required('base_url', readBase, 'write the URL that a client SDK would use, ending in /v1')
  const address = { dialect, baseUrl: baseUrl ?? '' }
  if (dialect === 'images') return { ...address, endpoints: [], images: standardImages() }
  if (dialect === 'video-tasks') return { ...address, endpoints: [], videos: standardVideos() }
  const text = TEXT_DIALECT_IDS.find((each) => each === dialect)
  const services = text !== undefined && hasServices(text) ? { services: { ...standardServices(), ...ASSUMED } } : {}
  return { ...address, endpoints: text === undefined ? [] : [standardEndpoint(text)], ...services }
}

/** Servers with the chat dialect may have it: they are asked where a chat cannot stand in for it. */
const ASSUMED = { completions: { path: SERVICE_PATHS.completions, assumed: true } } as const

const readDialect =
  (kinds: Kinds): Reader<UpstreamDialect> =>
  (value) => {
    const text = scalarText(value, `one of ${DIALECT_IDS.join(', ')}`)
    const advice = text === undefined ? undefined : dialectAdvice(text, kinds)
    if (advice === undefined) return readWord(DIALECT_IDS)(value)
    addMistake(value, `${quoteSource(value)} is not a dialect; ${advice}`)
    return undefined
  }

/** The dialect in the file, even if it was rejected, to check the ending of base_url. */
function writtenDialect(fields: Fields): UpstreamDialect | undefined {
  const value = fields.get('dialect')
  const node = value?.context.resolve(value.node)
  return isScalar(node) ? DIALECT_IDS.find((dialect) => node.value === dialect) : undefined
}

function readBaseUrl(value: YamlValue, dialect: UpstreamDialect | undefined): string | undefined {
  const ending = dialect ? DIALECTS[dialect].endpoint.basePath : ''
  const example = `https://api.example.com${ending}`
  const url = readUrl(value, { credentials: false, example })
  if (!url || dialect === undefined) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  const wrong = ending === '' ? /\/v1(\/|$)/.test(path) : !path.endsWith(ending)
  if (!wrong) return withoutTrailingSlash(url)
  const rule = ending === '' ? 'has no /v1 at its end' : `ends in ${ending}`
  addMistake(value, `the base_url of a ${dialect} upstream ${rule}, such as ${example}`)
  return undefined
}

/** Sent in a header: anything but visible ASCII would be rejected or could inject another header. */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(text)

/** What examples write where a key belongs: `YOUR_API_KEY`, `<key>`, `sk-...`, `sk-xxxx`, `changeme`. */
const PLACEHOLDER =
  /^(?:<.*>|(?:sk-|AIza)?(?:\.{3}|x{4,}|\*{4,}|…)|.*\byour[-_ ]?(?:own[-_ ]?)?(?:\w+[-_ ])?(?:api[-_ ]?)?key.*|(?:sk-)?(?:change|replace)[-_]?(?:me|this)|todo)$/i

function readKey(value: YamlValue): string | undefined {
  const text = scalarText(value, 'text')
  if (text !== undefined && PLACEHOLDER.test(text))
    addWarning(value, 'this looks like a placeholder from an example, not a key; requests to the upstream will fail')
  if (text === undefined || isApiKey(text)) return text
  const problem =
    text === '' ? 'is empty' : 'contains spaces, line breaks or other characters that are not allowed in a key'
  addMistake(value, `${problem}; ${NO_KEY}`)
  return undefined
}

function readProxy(value: YamlValue): string | undefined {
  return readUrl(value, { credentials: true, example: 'http://proxy.example.com:3128' })?.href
}

function readTimeouts(value: YamlValue): Partial<Timeouts> | undefined {
  const fields = fieldsOf(value, TIMEOUT_FIELDS, 'timeouts: { first_byte: 120s, idle: 120s, total: 1h }')
  if (!fields) return undefined
  const read = (name: string) => fields.optional<number | undefined>(name, readDuration(TIMER), undefined)
  const [firstByteMs, idleMs, totalMs] = [read('first_byte'), read('idle'), read('total')]
  return {
    ...(firstByteMs === undefined ? {} : { firstByteMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(totalMs === undefined ? {} : { totalMs }),
  }
}

/** What the file does not set depends on the type of the model. */
function timeoutsOf(
  written: Partial<Timeouts> | undefined,
  idleMs = TIMEOUT_DEFAULTS.idleMs,
): Pick<Upstream, 'timeouts' | 'imageTimeouts' | 'taskDeadlineMs'> {
  const usual = idleMs === TIMEOUT_DEFAULTS.idleMs ? TIMEOUT_DEFAULTS : { ...TIMEOUT_DEFAULTS, idleMs }
  if (!written) return { timeouts: usual }
  const imageTimeouts = { ...IMAGE_TIMEOUT_DEFAULTS, ...written }
  // A client that disconnects does not end a call that the operator wants to wait for.
  const drainMs = Math.max(imageTimeouts.drainMs, imageTimeouts.firstByteMs)
  return {
    timeouts: { ...usual, ...written },
    imageTimeouts: { ...imageTimeouts, drainMs },
    ...(written.totalMs === undefined ? {} : { taskDeadlineMs: written.totalMs }),
  }
}
