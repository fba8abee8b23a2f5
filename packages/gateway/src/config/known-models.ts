// Where the file does not say what a model supports, and what requests may ask of it, the well-known models behind its routes do.
import { type AnyModel, modalityOf } from '../modalities/index.ts'
import { baseModelOf, CAPABILITIES, type Modality, type Model, type ModelRoute } from '../modalities/modality.ts'
import type { FileConfig } from './types.ts'
import type { BuiltIn } from './upstream-kinds.ts'

export function withKnownLimits(model: AnyModel, upstreams: FileConfig['upstreams'], { limits }: BuiltIn): AnyModel {
  const modality = modalityOf(model.type)
  const { sandbox } = modality
  const known = (route: ModelRoute) => {
    if (!upstreams.get(route.upstream)?.embedded) return limits(model.type, baseModelOf(route))
    return sandbox.limitsRoutes ? sandbox.limits : undefined
  }
  return modality.withKnownLimits(model, known) as AnyModel
}

/** What all known routes support: any of them may answer. Stays absent if no route is known. */
export function withKnownCapabilities(model: AnyModel, upstreams: FileConfig['upstreams'], builtIn: BuiltIn): AnyModel {
  if (model.capabilities) return model
  const modality = modalityOf(model.type)
  const capabilities =
    modality.capabilitiesWithin?.(model.limits) ?? supportedByRoutes(model, modality, upstreams, builtIn)
  return capabilities ? { ...model, capabilities } : model
}

function supportedByRoutes(
  { routes }: Model,
  modality: Modality,
  upstreams: FileConfig['upstreams'],
  { capabilities }: BuiltIn,
) {
  const known = routes.flatMap((route) => {
    const found = upstreams.get(route.upstream)?.embedded ? modality.capabilities : capabilities(baseModelOf(route))
    return found ? [found] : []
  })
  return known.length === 0 ? undefined : CAPABILITIES.filter((each) => known.every((found) => found.includes(each)))
}
