// Where the file does not say what a model supports, the well-known models behind its routes do.
import { CAPABILITIES } from './sections/models/capabilities.ts'
import type { Capability, FileConfig, MediaModel, Model } from './types.ts'
import type { BuiltIn } from './upstream-kinds.ts'

const EMBEDDED: Readonly<Record<'text' | MediaModel['type'], readonly Capability[]>> = {
  text: CAPABILITIES,
  image: ['images'],
  video: ['images'],
}

/** What all known routes accept: any of them may answer. Stays absent if no route is known. */
export function withKnownCapabilities<M extends Model | MediaModel>(
  model: M,
  upstreams: FileConfig['upstreams'],
  { capabilities }: BuiltIn,
): M {
  if (model.capabilities) return model
  const type = 'type' in model ? model.type : 'text'
  const limit = 'images' in model.limits ? model.limits.images : undefined
  if (limit !== undefined) return { ...model, capabilities: limit > 0 ? ['images'] : [] }
  const known = model.routes.flatMap((route) => {
    const found = upstreams.get(route.upstream)?.embedded ? EMBEDDED[type] : capabilities(route.model)
    return found ? [found] : []
  })
  if (known.length === 0) return model
  return { ...model, capabilities: CAPABILITIES.filter((each) => known.every((found) => found.includes(each))) }
}
