// The bytes of lists of models. Many clients read the whole list for each of their users, and a list may have 10,000 entries: entries are
// written once per group and configuration, and so is the whole list.
import {
  generateContentModelEntry,
  generateContentModelList,
  type ListedModel,
  type ModelPage,
  modelEntry,
  modelList,
  type WrittenModel,
} from '@trivium/protocol/dialects/model-list.ts'
import type { AnyOffer, Catalogue } from '../catalogue/catalogue.ts'
import { describeModel } from '../catalogue/describe-model.ts'
import type { Caller } from '../storage/storage.ts'
import { litellmEntry, litellmList } from './litellm-models.ts'

/** `tag`: the ETag of exactly these bytes. */
export type WrittenList = { bytes: Uint8Array; tag: string }
type Kind = 'chat' | 'generate-content' | 'litellm'
type GroupList = { entries: readonly WrittenModel[]; whole: WrittenList }

const WRITERS = {
  chat: { entry: modelEntry, list: modelList },
  'generate-content': { entry: generateContentModelEntry, list: generateContentModelList },
  litellm: { entry: litellmEntry, list: litellmList },
} satisfies Record<Kind, { entry(model: ListedModel): unknown; list(models: WrittenModel[], page: ModelPage): string }>

/** Bytes of the lists that are kept: with more groups than fit, those written first are written again. */
const MOST_KEPT = 64 * 2 ** 20

class KeptLists {
  readonly #lists = new Map<string, GroupList>()
  #bytes = 0

  of(kind: Kind, group: string, catalogue: Catalogue): GroupList {
    // A model that is retired meanwhile leaves the list.
    const name = `${kind} ${catalogue.names.retired()} ${group}`
    const kept = this.#lists.get(name)
    if (kept) return kept
    const list = writeGroup(kind, group, catalogue)
    this.#lists.set(name, list)
    this.#bytes += sizeOf(list)
    for (const [oldest, dropped] of this.#lists) {
      if (this.#bytes <= MOST_KEPT || oldest === name) break
      this.#lists.delete(oldest)
      this.#bytes -= sizeOf(dropped)
    }
    return list
  }
}

/** Each text stands in it twice: in its entry and in the whole. */
const sizeOf = ({ whole }: GroupList): number => 2 * whole.bytes.length

/** A new configuration is a new catalogue, with lists of its own. */
const keptLists = new WeakMap<Catalogue, KeptLists>()

/** The models that this key may use. */
export function writtenList(kind: Kind, caller: Caller, page: ModelPage, catalogue: Catalogue): WrittenList {
  const lists = keptLists.get(catalogue) ?? new KeptLists()
  keptLists.set(catalogue, lists)
  const { entries, whole } = lists.of(kind, caller.group, catalogue)
  const allowed = caller.restrictions.models
  const isWhole = allowed === undefined && Object.keys(page).length === 0
  return isWhole ? whole : write(kind, allowed ? only(allowed, entries) : entries, page)
}

function only(allowed: readonly string[], entries: readonly WrittenModel[]): readonly WrittenModel[] {
  const ids = new Set(allowed)
  return entries.filter(({ id }) => ids.has(id))
}

function writeGroup(kind: Kind, group: string, catalogue: Catalogue): GroupList {
  const offers = [...(catalogue.offers.get(group)?.values() ?? [])].filter(
    ({ model }) => !model.hidden && catalogue.names.idOf(model.id) === model.id,
  )
  const entries = offers.flatMap((offer) => {
    const model = listedModel(offer, catalogue)
    const written = (id: string) => ({
      id,
      json: JSON.stringify(WRITERS[kind].entry({ ...model, id, displayName: id })),
    })
    return [written(model.id), ...(offer.model.aliases ?? []).map(written)]
  })
  return { entries, whole: write(kind, entries, {}) }
}

function write(kind: Kind, entries: readonly WrittenModel[], page: ModelPage): WrittenList {
  const bytes = Buffer.from(WRITERS[kind].list(entries, page))
  return { bytes, tag: `"${Bun.hash(bytes).toString(36)}"` }
}

export function listedModel(offer: AnyOffer, catalogue: Catalogue): ListedModel {
  const { id, retirement } = offer.model
  const created = Math.floor(catalogue.loadedAt / 1000)
  const retiring = retirement
    ? { retiresAt: new Date(retirement.at).toISOString().replace('.000Z', 'Z'), replacedBy: retirement.replacedBy }
    : {}
  return { id, displayName: id, owner: 'trivium', created, ...retiring, ...describeModel(offer) }
}
