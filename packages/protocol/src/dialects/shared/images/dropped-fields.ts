import type { ImageRequest } from '../../../canonical/image.ts'
import type { ImageTarget } from '../../image-service.ts'

const NAMES = {
  quality: 'quality',
  background: 'background',
  outputFormat: 'output_format',
  outputCompression: 'output_compression',
  moderation: 'moderation',
  style: 'style',
  inputFidelity: 'input_fidelity',
  partialImages: 'partial_images',
  user: 'user',
} as const satisfies Partial<Record<keyof ImageRequest, string>>

type OptionalField = keyof typeof NAMES

/** Fields that an upstream may lack, and what the images dialect calls them. */
export const WIRE_NAMES = Object.entries(NAMES) as readonly [OptionalField, string][]

/** These say what every upstream does by itself. */
const NO_WISH: readonly unknown[] = [undefined, 'auto']
const DEFAULTS: Partial<Record<OptionalField, unknown>> = {
  partialImages: 0,
  outputFormat: 'png',
  outputCompression: 100,
  background: 'opaque',
}

/** Whether leaving the field out makes a difference. */
export const isWish = (field: OptionalField, value: unknown): boolean =>
  !NO_WISH.includes(value) && DEFAULTS[field] !== value

/** Names the fields that a dialect cannot express, and those that are unknown. */
export function warnOfDropped(
  request: ImageRequest,
  { warn }: Pick<ImageTarget, 'warn'>,
  fields: readonly OptionalField[],
): void {
  for (const field of fields) if (isWish(field, request[field])) warn(NAMES[field], 'dropped')
  if (request.series) warn('sequential_image_generation', 'no-price')
  for (const { name, text } of request.unknown) if (text.trim() !== 'null') warn(name, 'dropped')
}
