// Asks for images and follows the partial ones.

import { errorIn, field, parsed, textField } from '../../../api/body.ts'
import { callGateway, readEvents, unreached } from '../call-gateway.ts'
import type { Entry } from '../history/entry.ts'
import { begin, end, type History } from '../history/history.ts'
import { failed, type Outcome } from '../history/outcome.ts'

/** As chosen; empty: the model's own default. */
export type ImageSettings = {
  model: string
  prompt: string
  size: string
  quality: string
  format: string
  count: number
  /** How many partial images are sent before the last one. */
  partials: number
}

/** `inputs`, `mask`: data URLs; without inputs an image is made from the prompt alone. */
export type ImageEntry = Entry & {
  settings: ImageSettings
  inputs: readonly string[]
  mask: string
  images: readonly string[]
  /** The latest partial image. */
  partial: string
  outcome: Outcome
}

export type ImageBody = { model: string; prompt: string } & Record<string, string | number | boolean>

export function imageBody({ model, prompt, size, quality, format, count, partials }: ImageSettings): ImageBody {
  return {
    model,
    prompt,
    ...(size === '' ? {} : { size }),
    ...(quality === '' ? {} : { quality }),
    ...(format === '' ? {} : { output_format: format }),
    ...(partials > 0 ? { stream: true, partial_images: partials } : count > 1 ? { n: count } : {}),
  }
}

type ImageHistory = Pick<History<ImageEntry>, 'put'>

export async function makeImages(history: ImageHistory, asked: ImageEntry): Promise<Outcome> {
  const began = performance.now()
  const signal = begin(asked.id)
  let entry: ImageEntry = { ...asked, outcome: { state: 'running' } }
  const show = (change: Partial<ImageEntry>, store = false) => {
    entry = { ...entry, ...change }
    history.put(entry, store)
  }
  const settle = (change: Partial<Outcome>): Outcome => {
    end(asked.id)
    const outcome = { ...entry.outcome, ...change, totalMs: performance.now() - began }
    show({ outcome, partial: change.state === 'done' ? '' : entry.partial }, true)
    return outcome
  }
  show({})
  const isEdit = entry.inputs.length > 0
  const body = isEdit ? formOf(entry) : imageBody(entry.settings)
  const called = await callGateway(isEdit ? 'v1/images/edits' : 'v1/images/generations', { body, signal })
  show({ outcome: { ...entry.outcome, ...(called.requestId ? { requestId: called.requestId } : {}) } })
  if (!called.ok) return settle(failed(called.error))
  try {
    if (entry.settings.partials === 0) {
      const answer = parsed(await called.response.text())
      const images = imagesOf(answer)
      show({ images })
      return settle(images.length > 0 ? { state: 'done' } : failed(errorIn(answer)))
    }
    for await (const event of readEvents(called.response)) {
      if (field(event, 'error') !== undefined) return settle(failed(errorIn(event)))
      const url = urlOf(event, textField(event, 'output_format'))
      if (url === undefined) continue
      if (textField(event, 'type').endsWith('.partial_image')) {
        const firstMs = entry.outcome.firstMs ?? performance.now() - began
        show({ partial: url, outcome: { ...entry.outcome, firstMs } })
      } else show({ images: [...entry.images, url] })
    }
    return settle(entry.images.length > 0 ? { state: 'done' } : failed(unreached(signal)))
  } catch {
    return settle(failed(unreached(signal)))
  }
}

function imagesOf(answer: unknown): string[] {
  const data = field(answer, 'data')
  const format = textField(answer, 'output_format')
  return Array.isArray(data) ? data.flatMap((each) => urlOf(each, format) ?? []) : []
}

/** The kinds of images that a browser shows without running anything. */
const KINDS: readonly [string, string][] = [
  ['iVBOR', 'png'],
  ['/9j/', 'jpeg'],
  ['UklGR', 'webp'],
  ['R0lGO', 'gif'],
]

/** By the first bytes, whatever the answer says. */
function urlOf(image: unknown, format: string): string | undefined {
  const data = textField(image, 'b64_json')
  if (data === '') return textField(image, 'url') || undefined
  const kind =
    KINDS.find(([beginning]) => data.startsWith(beginning))?.[1] ??
    (/^(png|jpeg|webp|gif)$/.test(format) ? format : undefined)
  return kind === undefined ? undefined : `data:image/${kind};base64,${data}`
}

function formOf({ settings, inputs, mask }: ImageEntry): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(imageBody(settings))) form.set(name, String(value))
  for (const [index, url] of inputs.entries())
    form.append(inputs.length > 1 ? 'image[]' : 'image', blobOf(url), `image-${index + 1}.${extensionOf(url)}`)
  if (mask !== '') form.set('mask', blobOf(mask), `mask.${extensionOf(mask)}`)
  return form
}

export const extensionOf = (dataUrl: string): string => /^data:image\/(\w+)/.exec(dataUrl)?.[1] ?? 'png'

function blobOf(dataUrl: string): Blob {
  const [head = '', data = ''] = dataUrl.split(',', 2)
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type: /^data:([^;]+)/.exec(head)?.[1] ?? '' })
}
