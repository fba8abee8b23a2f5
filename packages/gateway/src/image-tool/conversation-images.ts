// The images of a conversation that the model may have changed: those in the user's messages, those that earlier responses made, and
// those of this one. The model sees none of the latter, so each image has a name, counted from the beginning of the conversation.

import type { ImageInput, ImageRequest, ImageSource } from '@trivium/protocol/canonical/image.ts'
import { sniffMime } from '@trivium/protocol/canonical/media.ts'
import { type Json, wrong } from '@trivium/protocol/canonical/reading.ts'
import type { MediaPart, Part, Turn } from '@trivium/protocol/canonical/request.ts'
import { inlineImage, MAX_IMAGES } from '@trivium/protocol/dialects/images/request/decode-images.ts'
import { IMAGE_ITEM, itemAt } from './history.ts'

/** `turn`: of the user's message that it came with. */
type Entry = { source: ImageSource; mime: string; field: string; turn?: Turn }

export class ConversationImages {
  readonly #entries: Entry[] = []
  readonly #names = new Map<Part, string>()
  /** By URL, what was behind it: each is fetched once. */
  readonly #fetched = new Map<string, ImageInput>()
  /** The size of all images that are in memory, in base64. */
  bytes = 0

  /** `body`: the caller's request. Nothing of the images is read yet. */
  constructor(turns: readonly Turn[], body: Json) {
    for (const turn of turns)
      for (const part of turn.parts) {
        const entry = entryOf(part, turn, body)
        if (entry) this.#names.set(part, this.#add(entry))
      }
  }

  get count(): number {
    return this.#entries.length
  }

  /** undefined: the part has no image that can be changed. */
  nameOf(part: Part): string | undefined {
    return this.#names.get(part)
  }

  /** An image of this response. Returns its name. */
  addMade(base64: string, mime: string): string {
    return this.#add({ source: { kind: 'inline', base64 }, mime, field: 'output' })
  }

  /**
   * The images of these names. Without names the last one; where that came with a message, all of that message. Throws RequestError,
   * whose message is for the model.
   */
  choose(names: unknown): ImageInput[] {
    const chosen = isNothing(names) ? atMost(this.#last()) : this.#named(names)
    return chosen.map((entry) => this.fetched(inputOf(entry)))
  }

  /** The image itself in place of its URL, where it has been fetched. */
  fetched(image: ImageInput): ImageInput {
    const { source } = image
    return source.kind === 'url' ? (this.#fetched.get(source.url) ?? image) : image
  }

  /** `request`: as it was, and the same after its images were fetched. */
  remember(request: ImageRequest, after: ImageRequest): void {
    const inputs = ({ images, mask }: ImageRequest) => (mask ? [...images, mask] : images)
    const found = inputs(after)
    for (const [index, { source }] of inputs(request).entries()) {
      const image = found[index]
      if (source.kind === 'url' && image?.source.kind === 'inline') this.#fetched.set(source.url, image)
    }
  }

  #add(entry: Entry): string {
    this.#entries.push(entry)
    if (entry.source.kind === 'inline') this.bytes += entry.source.base64.length
    return nameOf(this.#entries.length)
  }

  #last(): readonly Entry[] {
    const last = this.#entries.at(-1)
    if (!last) throw wrong('images', 'There is no image to change.')
    return last.turn ? this.#entries.filter(({ turn }) => turn === last.turn) : [last]
  }

  #named(names: unknown): readonly Entry[] {
    if (!Array.isArray(names)) throw wrong('images', 'images must be a list of names of images.')
    const entries = atMost(names).map((name: unknown) => {
      const entry = this.#entries[Number(NAME.exec(String(name))?.[1]) - 1]
      if (!entry) throw wrong('images', `There is no such image. ${this.#listed()}`)
      return entry
    })
    return [...new Set(entries)]
  }

  #listed(): string {
    const { count } = this
    return count === 0 ? 'There are none.' : `The images are ${nameOf(1)} to ${nameOf(count)}.`
  }
}

const nameOf = (number: number): string => `image_${number}`
const NAME = /^image_([1-9]\d{0,8})$/

function atMost<T>(list: readonly T[]): readonly T[] {
  if (list.length > MAX_IMAGES) throw wrong('images', `At most ${MAX_IMAGES} images can be used at once.`)
  return list
}

const isNothing = (names: unknown): boolean =>
  names === undefined || names === null || (Array.isArray(names) && names.length === 0)

function entryOf(part: Part, turn: Turn, body: Json): Entry | undefined {
  if (part.type === 'media' && part.media === 'image' && turn.role === 'user') return ofMessage(part, turn)
  if (part.type !== 'foreign' || part.what !== IMAGE_ITEM) return undefined
  const { result, status } = itemAt(part.at, body)
  if (typeof result !== 'string' || result === '' || status === 'failed') return undefined
  const mime = sniffMime(result) ?? 'image/png'
  return { source: { kind: 'inline', base64: result }, mime, field: `${part.at}.result` }
}

function ofMessage({ source, at = 'input' }: MediaPart, turn: Turn): Entry | undefined {
  if (source.kind === 'inline')
    return { source: { kind: 'inline', base64: source.data }, mime: source.mime, field: at, turn }
  if (source.kind !== 'url') return undefined
  return { source: { kind: 'url', url: source.url, field: at }, mime: '', field: at, turn }
}

/** Throws RequestError. */
function inputOf({ source, mime, field }: Entry): ImageInput {
  return source.kind === 'inline' ? inlineImage(mime, source.base64, field) : { mediaType: '', bytes: 0, source }
}
