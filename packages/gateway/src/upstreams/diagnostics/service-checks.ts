// The checks of what an upstream serves besides text and images: those that endpoints have, and one for each other service.
import { checks as embeddings } from '../../endpoints/embeddings/checks.ts'
import { endpointOf, MODEL_TYPES } from '../../endpoints/index.ts'
import { checks as moderations } from '../../endpoints/moderations/checks.ts'
import { checks as rerank } from '../../endpoints/rerank/checks.ts'
import { checks as speech } from '../../endpoints/speech/checks.ts'
import { checks as text } from '../../endpoints/text/checks.ts'
import { checks as transcriptions } from '../../endpoints/transcriptions/checks.ts'
import { modalityOf } from '../../modalities/index.ts'
import { type CheckedId, json, type ServiceCheck, type ServiceChecks } from './service-check.ts'

const SERVICE_CHECKS: ServiceChecks = {
  ...embeddings,
  ...moderations,
  ...rerank,
  ...speech,
  ...text,
  ...transcriptions,
}

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
