// The built-in price list: a data file with the price format of the configuration file. It is read on demand, not at every
// start.

import type { ImageLimits } from '@trivium/protocol/canonical/image.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { formatMistakes } from '../../config/format-mistakes.ts'
import { readCapabilities } from '../../config/sections/models/capabilities.ts'
import { readImageLimits } from '../../config/sections/models/image-limits.ts'
import { readMediaPrice } from '../../config/sections/models/media-prices.ts'
import { readTokenPrice } from '../../config/sections/models/token-prices.ts'
import { readVideoLimits } from '../../config/sections/models/video-limits.ts'
import type { Capability, Model, ModelType, UpstreamDialect, VideoModelLimits } from '../../config/types.ts'
import { addMistake, parseDocumentOf, type YamlValue } from '../../config/yaml/document.ts'
import { type Fields, fieldsOf, listOf } from '../../config/yaml/fields.ts'
import {
  readBoolean,
  readInteger,
  readModelId,
  readText,
  readUrl,
  readWord,
  withoutTrailingSlash,
} from '../../config/yaml/scalars.ts'
import type { Price } from '../../money/prices/price-diff.ts'
import source from './price-list.yaml' with { type: 'text' }

/** The upstream for models of these types. */
export type ListedUpstream = { types: readonly ModelType[]; dialect: UpstreamDialect; baseUrl: string }

export type ListedModel = {
  id: string
  type: ModelType
  /** Snapshots (the id and a date) have the same price. */
  dated: boolean
  /** A remark on the price, such as a discount that ends. */
  note: string | undefined
  price: Price
  /** Absent: not known. */
  capabilities?: readonly Capability[]
  limits: Model['limits']
  /** Only image models have them. */
  imageLimits?: ImageLimits
  /** Only video models have them. */
  videoLimits?: VideoModelLimits
}

export type Vendor = {
  kind: string
  /** Environment variable with its key. */
  variable: string
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
const LIMIT_FIELDS = { context: true, max_output: true } as const

const TYPES: readonly ModelType[] = ['text', 'image', 'video']
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
  const readUpstreams = listOf(readUpstream, `[${UPSTREAM_EXAMPLE}]`, 'name at least one upstream')
  return {
    kind: fields.required('kind', readText) ?? '',
    variable: fields.required('variable', readText) ?? '',
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
  const types = fields?.required('types', listOf(readWord(TYPES), '[text]', 'name at least one type'))
  const dialect = fields?.required('dialect', readWord(DIALECT_IDS))
  const baseUrl = fields?.required('base_url', readAddress)
  return types && dialect && baseUrl !== undefined ? { types, dialect, baseUrl } : undefined
}

function readModel(value: YamlValue): ListedModel | undefined {
  const fields = fieldsOf(value, MODEL_FIELDS, MODEL_EXAMPLE)
  if (!fields) return undefined
  const id = fields.required('id', readModelId)
  const type = fields.optional('type', readWord(TYPES), 'text')
  const price = fields.required<Price>('price', type === 'text' ? readTokenPrice : readMediaPrice(type))
  const capabilities = fields.optional<readonly Capability[] | undefined>(
    'capabilities',
    readCapabilities(type),
    undefined,
  )
  if (id === undefined || !price) return undefined
  return {
    id,
    type,
    price,
    ...(capabilities ? { capabilities } : {}),
    dated: fields.optional('dated', readBoolean, false),
    note: fields.optional<string | undefined>('note', readText, undefined),
    ...READ_LIMITS[type](fields),
  }
}

const NO_LIMITS: Model['limits'] = { context: undefined, maxOutput: undefined }

const readTextLimits = (fields: Fields) => ({ limits: fields.optional('limits', readLimits, NO_LIMITS) })

function readImageModelLimits(fields: Fields): Pick<ListedModel, 'limits' | 'imageLimits'> {
  const imageLimits = fields.required('limits', readImageLimits, 'the sizes, qualities and n of an image model')
  return { limits: NO_LIMITS, ...(imageLimits ? { imageLimits } : {}) }
}

function readVideoModelLimits(fields: Fields): Pick<ListedModel, 'limits' | 'videoLimits'> {
  const videoLimits = fields.required('limits', readVideoLimits, 'the seconds and resolutions of a video model')
  return { limits: NO_LIMITS, ...(videoLimits ? { videoLimits } : {}) }
}

const READ_LIMITS = { text: readTextLimits, image: readImageModelLimits, video: readVideoModelLimits }

function readLimits(value: YamlValue): Model['limits'] | undefined {
  const fields = fieldsOf(value, LIMIT_FIELDS, '{ context: 128000, max_output: 16384 }')
  const tokens = readInteger({ min: 1, max: 1_000_000_000 })
  return (
    fields && {
      context: fields.required('context', tokens),
      maxOutput: fields.required('max_output', tokens),
    }
  )
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
