import type { ImageRequest } from '../../../canonical/image.ts'
import type { ImageTarget } from '../../image-service.ts'

const WIRE_NAMES = {
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

/** These say what every upstream does by itself. */
const NO_WISH: readonly unknown[] = [undefined, 'auto', 0]

/** Names the fields that a dialect cannot express, and those that are unknown. */
export function warnOfDropped(
  request: ImageRequest,
  { warn }: Pick<ImageTarget, 'warn'>,
  fields: readonly (keyof typeof WIRE_NAMES)[],
): void {
  for (const field of fields) {
    const value = request[field]
    const isDefault = (field === 'outputFormat' && value === 'png') || (field === 'background' && value === 'opaque')
    if (!isDefault && !NO_WISH.includes(value)) warn(WIRE_NAMES[field], 'dropped')
  }
  for (const { name } of request.unknown) warn(name, 'dropped')
}
