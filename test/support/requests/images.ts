// Requests for images over plain HTTP, and what comes back.
import { encodePng } from '../../../packages/sandbox/src/images/png.ts'
import { emptyRaster } from '../../../packages/sandbox/src/images/raster.ts'

export const pngOf = (width: number, height: number): Promise<Uint8Array<ArrayBuffer>> =>
  encodePng(emptyRaster(width, height))

export type ImageCallOptions = { headers?: Record<string, string>; signal?: AbortSignal }

export function generate(
  origin: string,
  secret: string,
  body: object | string,
  { headers = {}, signal }: ImageCallOptions = {},
): Promise<Response> {
  return fetch(`${origin}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
}

export type FormValue = string | Uint8Array<ArrayBuffer>

/** Bytes are sent as files. */
export function formOf(fields: readonly (readonly [name: string, value: FormValue])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([value], { type: 'application/octet-stream' }), 'a.bin')
  }
  return form
}

export function edit(
  origin: string,
  secret: string,
  body: FormData | string | Uint8Array<ArrayBuffer>,
  { headers = {}, signal }: ImageCallOptions = {},
): Promise<Response> {
  return fetch(`${origin}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, ...headers },
    body,
    ...(signal ? { signal } : {}),
  })
}

export type StreamedImage = { type: string; b64_json?: string; url?: string; error?: { code: string } }

/** The events of a stream; comments are left out. */
export const eventsIn = (text: string): StreamedImage[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as StreamedImage] : []))
