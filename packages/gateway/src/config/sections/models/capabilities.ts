// What a model supports besides text: the field `capabilities` of a model. It informs callers; requests are not checked against it.
import type { Capability, ModelType } from '../../types.ts'
import type { YamlValue } from '../../yaml/document.ts'
import { itemsOf, type Reader } from '../../yaml/fields.ts'
import { readWord } from '../../yaml/scalars.ts'

export const CAPABILITIES: readonly Capability[] = ['images', 'tools', 'reasoning']
/** An image model accepts images to edit, a video model images to begin with or to show. */
const MEDIA_CAPABILITIES: readonly Capability[] = ['images']

/** An empty list is a statement, too: the model supports nothing but text. */
export const readCapabilities =
  (type: ModelType): Reader<readonly Capability[]> =>
  (value: YamlValue) => {
    const isText = type === 'text'
    const items = itemsOf(value, isText ? '[images, tools, reasoning]' : '[images]')
    const read = readWord(isText ? CAPABILITIES : MEDIA_CAPABILITIES)
    const found = items?.map(read)
    return found && CAPABILITIES.filter((capability) => found.includes(capability))
  }
