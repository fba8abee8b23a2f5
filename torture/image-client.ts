// A client of image requests that records what it received: the reference for the ledger after a crash.
import { edit, eventsIn, formOf, generate, pngOf } from '../test/support/requests/images.ts'
import type { Random } from '../tools/simulation/random.ts'

export type ImageForm = {
  operation: 'generate' | 'edit'
  model: string
  n: number
  stream: boolean
  url: boolean
  idempotencyKey: string | undefined
}

export type ImageResult = {
  form: ImageForm
  /** Undefined if no headers arrived. */
  status: number | undefined
  requestId: string | undefined
  isReplayed: boolean
  /** All images arrived. */
  complete: boolean
  text: string
}

const SOURCE = await pngOf(96, 64)
const SIZE = '96x64'

/** `models`: of which one is picked. */
export function randomForm(random: Random, models: readonly string[], key: string): ImageForm {
  return {
    operation: random.chance(0.4) ? 'edit' : 'generate',
    model: random.pick(models) ?? '',
    n: random.between(1, 3),
    stream: random.chance(0.5),
    url: random.chance(0.4),
    idempotencyKey: random.chance(0.6) ? key : undefined,
  }
}

/** Never throws: of a broken connection the result is what arrived before. */
export async function callForImages(origin: string, secret: string, form: ImageForm): Promise<ImageResult> {
  const seen: ImageResult = {
    form,
    status: undefined,
    requestId: undefined,
    isReplayed: false,
    complete: false,
    text: '',
  }
  try {
    const response = await send(origin, secret, form)
    seen.status = response.status
    seen.requestId = response.headers.get('x-request-id') ?? undefined
    seen.isReplayed = response.headers.get('idempotent-replayed') === 'true'
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) seen.text += decoder.decode(chunk, { stream: true })
  } catch {
    // Killed or cut: the result is incomplete.
  }
  seen.complete = seen.status === 200 && imagesIn(form, seen.text) === form.n
  return seen
}

function send(origin: string, secret: string, form: ImageForm): Promise<Response> {
  const { operation, model, n, stream, url, idempotencyKey } = form
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
  const format = url ? 'url' : 'b64_json'
  const fields = { model, prompt: 'a cat', size: SIZE, n, stream, partial_images: 2, response_format: format }
  if (operation === 'generate') return generate(origin, secret, fields, { headers })
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)] as const)
  return edit(origin, secret, formOf([['image', SOURCE], ...texts]), { headers })
}

function imagesIn({ stream }: ImageForm, text: string): number {
  try {
    if (stream) return eventsIn(text).filter(({ type }) => type.endsWith('.completed')).length
    return (JSON.parse(text) as { data: unknown[] }).data.length
  } catch {
    return 0
  }
}

/** Where the images of a complete result can be downloaded. */
export function urlsIn({ form, text }: ImageResult): string[] {
  if (!form.url) return []
  const images = form.stream ? eventsIn(text) : (JSON.parse(text) as { data: { url?: string }[] }).data
  return images.flatMap(({ url }) => url ?? [])
}
