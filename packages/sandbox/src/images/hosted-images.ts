// Images that a client gets by URL: the last ones are kept in memory, under names that depend on their content.

import { createHash } from 'node:crypto'
import type { RenderedImage } from './image-call.ts'

export type HostedImages = {
  /** URLs below this origin. */
  add(images: readonly RenderedImage[], origin: string): string[]
  /** The image at this path; undefined when there is none. */
  find(pathname: string): Uint8Array<ArrayBuffer> | undefined
}

const PREFIX = '/sandbox-images/'
const MOST_KEPT = 64

export function openHostedImages(): HostedImages {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    add: (images, origin) =>
      images.map(({ bytes }) => {
        const path = `${PREFIX}${createHash('sha256').update(bytes).digest('hex').slice(0, 24)}`
        kept.delete(path)
        kept.set(path, bytes)
        for (const oldest of kept.keys()) {
          if (kept.size <= MOST_KEPT) break
          kept.delete(oldest)
        }
        return `${origin}${path}`
      }),
    find: (pathname) => kept.get(pathname),
  }
}

export function mediaTypeOf(bytes: Uint8Array): string {
  return bytes[0] === 0x89 ? 'image/png' : bytes[0] === 0xff ? 'image/jpeg' : 'image/webp'
}
