// The built-in price list: a data file with the price format of the configuration file. It is read on demand, not at every
// start.

import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { formatMistakes } from '../../config/format-mistakes.ts'
import type { UpstreamDialect } from '../../config/types.ts'
import type { KnownModel } from '../../config/upstream-kinds.ts'
import { DEFAULT_TYPE, MODEL_TYPES, type ModelType, modalityOf } from '../../modalities/index.ts'
import type { Capability } from '../../modalities/modality.ts'
import { readCapabilities } from '../../modalities/read-capabilities.ts'
import { addMistake, parseDocumentOf, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, listOf } from '../../yaml/fields.ts'
import { plainValue } from '../../yaml/plain-value.ts'
import { readBoolean, readModelId, readText, readUrl, readWord, withoutTrailingSlash } from '../../yaml/scalars.ts'
import source from './price-list.yaml' with { type: 'text' }

/** The upstream for models of these types. */
export type ListedUpstream = { types: readonly ModelType[]; dialect: UpstreamDialect; baseUrl: string }

export type ListedModel = KnownModel & {
  /** Snapshots (the id and a date) have the same price. */
  dated: boolean
  /** A remark on the price, such as a discount that ends. */
  note: string | undefined
  /** Absent: not known. */
  capabilities?: readonly Capability[]
}

export type Vendor = {
  kind: string
  /** Environment variable with its key, which switches it on. Absent: none does. */
  variable?: string
  /** The vendor's page with the prices. */
  source: string
  upstreams: readonly ListedUpstream[]
  models: readonly ListedModel[]
}

export type PriceList = { date: string; vendors: readonly Vendor[] }

const LIST_FIELDS = { date: true, vendors: true } as const
const VENDOR_FIELDS = { kind: true, variable: true, source: true, upstreams: true, models: true } as const
const UPSTREAM_FIELDS = { types: true, dialect: true, base_url: true } as const
const MODEL_FIELDS = {
  id: true,
  type: true,
  dated: true,
  note: true,
  capabilities: true,
  limits: true,
  price: true,
} as const

const DIALECT_IDS = Object.keys(DIALECTS) as readonly UpstreamDialect[]

const MODEL_EXAMPLE = '- { id: gpt-x, price: { input: 2.00, output: 8.00 } }'
const UPSTREAM_EXAMPLE = '{ types: [text], dialect: chat, base_url: "https://api.example.com/v1" }'

/** Throws if the list is invalid, which its test rules out. */
export function readPriceList(text: string = source): PriceList {
  const { context, root } = parseDocumentOf(text, 'price-list.yaml', {})
  const list = root && readList(root)
  if (!list || context.mistakes.length > 0) throw new Error(formatMistakes(context.mistakes))
  return list
}

let builtIn: PriceList | undefined
/** Parsed on first use. */
export const builtInPriceList = (): PriceList => (builtIn ??= readPriceList())

let ids: string[] | undefined

/** Whether the list can have a model of this name. Unlike the list, the ids are found without parsing, which takes a fifth of a second. */
export function mayBeListed(name: string): boolean {
  ids ??= [...source.matchAll(/^ +- id: (\S+)$/gm)].map(([, id = '']) => id)
  return ids.some((id) => name.startsWith(id))
}

function readList(value: YamlValue): PriceList | undefined {
  const fields = fieldsOf(value, LIST_FIELDS, 'date and vendors')
  const date = fields?.required('date', readDay)
  const vendors = fields?.required('vendors', listOf(readVendor, '- kind: openai', 'name at least one vendor'))
  return date === undefined || !vendors ? undefined : { date, vendors }
}

function readDay(value: YamlValue): string | undefined {
  const text = readText(value) ?? ''
  const day = Date.parse(text)
  // `Date` reads 2026-02-30 as a day in March: only a real day is written back the same.
  if (!Number.isNaN(day) && new Date(day).toISOString().slice(0, 10) === text) return text
  addMistake(value, 'expected a day, such as 2026-01-31')
  return undefined
}

function readVendor(value: YamlValue): Vendor | undefined {
  const fields = fieldsOf(value, VENDOR_FIELDS, '{ kind: openai, variable: OPENAI_API_KEY }')
  if (!fields) return undefined
  const variable = fields.optional<string | undefined>('variable', readText, undefined)
  const readUpstreams = listOf(readUpstream, `[${UPSTREAM_EXAMPLE}]`, 'name at least one upstream')
  return {
    kind: fields.required('kind', readText) ?? '',
    ...(variable === undefined ? {} : { variable }),
    source: fields.required('source', readAddress) ?? '',
    upstreams: fields.required('upstreams', readUpstreams) ?? [],
    models: fields.required('models', listOf(readModel, MODEL_EXAMPLE, 'name at least one model')) ?? [],
  }
}

function readAddress(value: YamlValue): string | undefined {
  const url = readUrl(value, { credentials: false, example: 'https://api.example.com/v1' })
  return url && withoutTrailingSlash(url)
}

function readUpstream(value: YamlValue): ListedUpstream | undefined {
  const fields = fieldsOf(value, UPSTREAM_FIELDS, UPSTREAM_EXAMPLE)
  const types = fields?.required('types', listOf(readWord(MODEL_TYPES), '[text]', 'name at least one type'))
  const dialect = fields?.required('dialect', readWord(DIALECT_IDS))
  const baseUrl = fields?.required('base_url', readAddress)
  return types && dialect && baseUrl !== undefined ? { types, dialect, baseUrl } : undefined
}

function readModel(value: YamlValue): ListedModel | undefined {
  const fields = fieldsOf(value, MODEL_FIELDS, MODEL_EXAMPLE)
  if (!fields) return undefined
  const id = fields.required('id', readModelId)
  const type = fields.optional('type', readWord(MODEL_TYPES), DEFAULT_TYPE)
  const modality = modalityOf(type)
  const price = fields.required<unknown>('price', (value) => modality.readPrice(value))
  const limits = fields.optional('limits', modality.readLimits, modality.noLimits)
  const readSupported = readCapabilities(modality)
  const capabilities = fields.optional<readonly Capability[] | undefined>('capabilities', readSupported, undefined)
  if (id === undefined || !price) return undefined
  const [writtenPrice, writtenLimits] = [fields.get('price'), fields.get('limits')]
  const written = {
    price: writtenPrice && plainValue(writtenPrice),
    ...(writtenLimits ? { limits: plainValue(writtenLimits) } : {}),
  }
  const known = { id, type, price, limits, written } as KnownModel
  return {
    ...known,
    ...(capabilities ? { capabilities } : {}),
    dated: fields.optional('dated', readBoolean, false),
    note: fields.optional<string | undefined>('note', readText, undefined),
  }
}

const DATE_SUFFIX = /^-(\d{4}-\d{2}-\d{2}|\d{8})$/

/** The entry for a model, by its name at the upstream. */
export function findListed(list: PriceList, name: string): { vendor: Vendor; model: ListedModel } | undefined {
  const all = list.vendors.flatMap((vendor) => vendor.models.map((model) => ({ vendor, model })))
  return all.find(({ model }) => model.id === name) ?? all.find(({ model }) => isSnapshotOf(model, name))
}

function isSnapshotOf({ id, dated }: ListedModel, name: string): boolean {
  return dated && name.startsWith(id) && DATE_SUFFIX.test(name.slice(id.length))
}
