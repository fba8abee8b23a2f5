// What a model supports besides text: the field `capabilities` of a model. It informs callers, and tells the
// image tool whether its image model can edit; requests are not checked against it.
import type { YamlValue } from '../yaml/document.ts'
import { itemsOf, type Reader } from '../yaml/fields.ts'
import { readWord } from '../yaml/scalars.ts'
import { CAPABILITIES, type Capability, type Modality } from './modality.ts'

/** An empty list is a statement, too: the model supports nothing but text. */
export const readCapabilities =
  ({ capabilities }: Modality): Reader<readonly Capability[]> =>
  (value: YamlValue) => {
    const found = itemsOf(value, `[${capabilities.join(', ')}]`)?.map(readWord(capabilities))
    return found && CAPABILITIES.filter((capability) => found.includes(capability))
  }
