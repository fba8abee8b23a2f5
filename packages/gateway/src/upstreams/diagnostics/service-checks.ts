// The checks of what upstreams serve: those that endpoints have, and one for each other service.
import { checks as embedding } from '../../endpoints/embeddings/checks.ts'
import { checks as image } from '../../endpoints/images/checks.ts'
import { endpointOf, MODEL_TYPES } from '../../endpoints/index.ts'
import { checks as moderation } from '../../endpoints/moderations/checks.ts'
import { checks as rerank } from '../../endpoints/rerank/checks.ts'
import { checks as speech } from '../../endpoints/speech/checks.ts'
import { checks as text } from '../../endpoints/text/checks/index.ts'
import { checks as transcription } from '../../endpoints/transcriptions/checks.ts'
import { type ModelType, modalityOf } from '../../modalities/index.ts'
import type { EndpointChecks } from './endpoint-checks.ts'
import { type CheckedId, json, type ServiceCheck, type ServiceChecks } from './service-check.ts'

/** By the type of models. Those that are not here take too long, or cost too much, or have one check that is made of their example. */
export const OWN_CHECKS: Readonly<Partial<Record<ModelType, EndpointChecks>>> = {
  text,
  image,
  embedding,
  speech,
  transcription,
  rerank,
  moderation,
}

const SERVICE_CHECKS: ServiceChecks = Object.assign({}, ...Object.values(OWN_CHECKS).map(({ services }) => services))

/** The checks of a service. One without checks of its own is sent its example, and must answer with the fields that it declares. */
export const checksOf = (id: CheckedId): readonly ServiceCheck[] => SERVICE_CHECKS[id] ?? declaredChecks(id)

function declaredChecks(id: CheckedId): readonly ServiceCheck[] {
  const type = MODEL_TYPES.find((each) => endpointOf(each).models && modalityOf(each).service === id)
  const route = type && Object.values(endpointOf(type).routes)[0]
  if (!route) return []
  const units = modalityOf(type).previewedUnits
  const fields = Object(route.responses?.[200]?.schema).required as readonly string[] | undefined
  const lacking = (reply: unknown) => fields?.find((name) => !Object.hasOwn(Object(reply), name))
  return [
    {
      row: id,
      body: (model) => json({ ...route.body?.example, model }),
      counted: Object.fromEntries(units.map((unit) => [unit, 1])),
      most: { input: 100 },
      judge: (reply) => (lacking(reply) === undefined ? undefined : `the response has no ${lacking(reply)}`),
    },
  ]
}
