// What images, documents and recordings count, by the formulas that the vendors publish. Only beginnings and ends of encoded
// data are decoded.
import type { MediaPart, Source } from '@trivium/protocol/canonical/request.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { inspectImage } from '../images/inspect-image.ts'

type Inline = Extract<Source, { kind: 'inline' }>
type Size = { width: number; height: number }

/** Without known dimensions an image counts like one of about a megapixel. */
const USUAL_IMAGE: Size = { width: 1_024, height: 1_024 }

/** `tokens` of an image by the vendor's formula, and of a page of a document. */
const FORMULAS: Readonly<Record<TextDialectId, { image(size: Size, detail?: string): number; page: number }>> = {
  chat: { image: tilesOf512, page: 1_000 },
  responses: { image: tilesOf512, page: 1_000 },
  messages: { image: pixelsBy750, page: 2_000 },
  'generate-content': { image: tilesOf768, page: 258 },
}

/** Scaled into 2048 x 2048, then to a shorter side of 768: tiles of 512 x 512. */
function tilesOf512({ width, height }: Size, detail?: string): number {
  if (detail === 'low') return 85
  const fit = Math.min(1, 2_048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit))
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
}

/** Scaled to a longer side of 1568 and about 1.15 megapixels. */
function pixelsBy750({ width, height }: Size): number {
  const fit = Math.min(1, 1_568 / Math.max(width, height))
  return Math.min(1_600, Math.max(1, Math.ceil((width * height * fit * fit) / 750)))
}

/** A small image is one tile; a larger one is divided by two thirds of its shorter side, within limits. */
function tilesOf768({ width, height }: Size): number {
  if (width <= 384 && height <= 384) return 258
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
  return 258 * Math.ceil(width / side) * Math.ceil(height / side)
}

/** More images than vendors take are counted without a look at them. */
export const MOST_INSPECTED = 100

/** `inspect`: whether the content may be looked at. */
export async function mediaTokens(
  { media, source, detail }: MediaPart,
  dialect: TextDialectId,
  inspect: boolean,
): Promise<number> {
  const { image, page } = FORMULAS[dialect]
  const inline = source.kind === 'inline' ? source : undefined
  if (media === 'image') return image((inspect && inline && (await sizeOf(inline))) || USUAL_IMAGE, detail)
  if (media === 'document') return page * (inspect && inline ? pagesOf(inline) : 1)
  const bytes = inline ? bytesOf(inline) : USUAL_RECORDING_BYTES
  return Math.ceil(bytes / (media === 'audio' ? AUDIO_BYTES_PER_TOKEN : VIDEO_BYTES_PER_TOKEN))
}

/** 32 tokens for a second of sound at 128 kbit/s, and 300 for a second of video at 2 Mbit/s. */
const AUDIO_BYTES_PER_TOKEN = 500
const VIDEO_BYTES_PER_TOKEN = 800
const USUAL_RECORDING_BYTES = 512 * 1024

const bytesOf = ({ data }: Inline): number => Math.floor((data.length * 3) / 4)

/** Base64, of which `inspectImage` reads no more. */
const IMAGE_PREFIX = 4 * 512 * 1024

async function sizeOf({ data }: Inline): Promise<Size | undefined> {
  const found = await inspectImage(Buffer.from(data.slice(0, IMAGE_PREFIX), 'base64'))
  return typeof found === 'object' ? found : undefined
}

const PAGE_BYTES = 64 * 1024
const MOST_PAGES = 3_000
/** A multiple of four, so that base64 can be decoded from there on. */
const PART = 256 * 1024
/** The root of a PDF's pages says how many there are. */
const COUNT = /\/Count\s+(\d{1,5})\b/g

function pagesOf(inline: Inline): number {
  const { data } = inline
  const tail = Math.max(0, Math.floor((data.length - PART) / 4) * 4)
  const parts = [data.slice(0, PART), data.slice(tail)].map((part) => Buffer.from(part, 'base64').toString('latin1'))
  const counts = parts.flatMap((part) => [...part.matchAll(COUNT)].map(([, count]) => Number(count)))
  const pages = counts.length > 0 ? Math.max(...counts) : Math.ceil(bytesOf(inline) / PAGE_BYTES)
  return Math.min(MOST_PAGES, Math.max(1, pages))
}
