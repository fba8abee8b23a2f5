// Lists of models. Two protocols share the path /v1/models, so its body has the fields of both: each SDK reads its
// own and ignores the rest.

export type ListedModel = {
  id: string
  /** Unix seconds. */
  created: number
  owner: string
  displayName: string
  /** Tokens, where known. */
  context?: number
  maxOutput?: number
  /** What it generates, where that is not text. Entries of text models have the vendors' word in its place. */
  type?: string
  /** What the gateway tells besides the vendors' fields. */
  price?: Readonly<Record<string, unknown>>
  limits?: Readonly<Record<string, unknown>>
  protocols?: readonly string[]
  /** Methods of the generate-content dialect. Absent: those of text, if it is among the protocols. */
  methods?: readonly string[]
  /** What it supports besides text. Null: unknown. */
  capabilities?: readonly string[] | null
  /** When it is retired, in RFC 3339, and the id that replaces it. Absent: it is not. */
  retiresAt?: string
  replacedBy?: string | undefined
}

/** Which part of the list: after or before an id, at most `limit` entries. */
export type ModelPage = { limit?: number; afterId?: string; beforeId?: string }

const LONGEST_PAGE = 1_000

export function modelEntry(model: ListedModel) {
  return {
    id: model.id,
    object: 'model',
    type: model.type ?? 'model',
    created: model.created,
    created_at: new Date(model.created * 1000).toISOString().replace('.000Z', 'Z'),
    owned_by: model.owner,
    display_name: model.displayName,
    lifecycle: 'active',
    line: null,
    max_input_tokens: model.context ?? null,
    max_tokens: model.maxOutput ?? null,
    capabilities: null,
    deprecated_at: null,
    retires_at: model.retiresAt ?? null,
    ...(model.replacedBy === undefined ? {} : { replaced_by: model.replacedBy }),
    ...(model.price === undefined ? {} : { price: model.price }),
    ...(model.limits === undefined ? {} : { limits: model.limits }),
    ...(model.protocols === undefined ? {} : { protocols: model.protocols }),
    ...(model.capabilities === undefined ? {} : { capabilities: model.capabilities }),
  }
}

/** An entry as JSON: whoever keeps it does not make it again for each reader. */
export type WrittenModel = { id: string; json: string }

/** The JSON text of the list, from entries of `modelEntry`. */
export function modelList(models: readonly WrittenModel[], page: ModelPage = {}): string {
  const { entries, hasMore } = cut(models, page)
  const [first, last] = [entries[0]?.id ?? null, entries.at(-1)?.id ?? null]
  // An SDK asks on for as long as has_more is true: it must turn false, also for an id that is no longer in the list.
  const place = `"first_id":${JSON.stringify(first)},"last_id":${JSON.stringify(last)},"has_more":${hasMore}`
  return `{"object":"list","data":[${entries.map(({ json }) => json).join(',')}],${place}}`
}

function cut(models: readonly WrittenModel[], page: ModelPage): { entries: readonly WrittenModel[]; hasMore: boolean } {
  const limit = readLimit(page.limit)
  if (page.beforeId !== undefined) {
    const end = Math.max(
      0,
      models.findIndex((model) => model.id === page.beforeId),
    )
    const start = Math.max(0, end - limit)
    return { entries: models.slice(start, end), hasMore: start > 0 }
  }
  const known = page.afterId === undefined ? -1 : models.findIndex((model) => model.id === page.afterId)
  const start = page.afterId !== undefined && known < 0 ? models.length : known + 1
  return { entries: models.slice(start, start + limit), hasMore: start + limit < models.length }
}

function readLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return Number.POSITIVE_INFINITY
  return Math.min(Math.max(Math.floor(limit), 1), LONGEST_PAGE)
}

export function generateContentModelEntry(model: ListedModel) {
  return {
    name: `models/${model.id}`,
    version: '001',
    displayName: model.displayName,
    description: `${model.displayName}, from ${model.owner}`,
    ...(model.context === undefined ? {} : { inputTokenLimit: model.context }),
    ...(model.maxOutput === undefined ? {} : { outputTokenLimit: model.maxOutput }),
    supportedGenerationMethods:
      model.methods ??
      (model.protocols?.includes('generate-content') ? ['generateContent', 'streamGenerateContent'] : []),
  }
}

/** The JSON text of the list, from entries of `generateContentModelEntry`. Whole: without a nextPageToken no SDK asks for more. */
export function generateContentModelList(models: readonly WrittenModel[]): string {
  return `{"models":[${models.map(({ json }) => json).join(',')}]}`
}
