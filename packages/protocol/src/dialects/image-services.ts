// The dialects whose upstreams can be asked for images.

import { imageService as generateContent } from './generate-content/image-generation/index.ts'
import type { ImageService } from './image-service.ts'
import { imageService as images } from './images/index.ts'
import type { DialectId } from './index.ts'
import { imageService as responses } from './responses/image-generation/index.ts'

const SERVICES = { images, responses, 'generate-content': generateContent } satisfies Partial<
  Record<DialectId, ImageService>
>

export type ImageDialectId = keyof typeof SERVICES
export const IMAGE_SERVICES: Readonly<Record<ImageDialectId, ImageService>> = SERVICES
export const IMAGE_DIALECT_IDS = Object.keys(SERVICES) as readonly ImageDialectId[]
