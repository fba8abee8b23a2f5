// Fields that an endpoint of this dialect does not know, by what they do at a chat request.

import type { Json } from '../../../canonical/reading.ts'
import { effectsOf } from '../../shared/pass-through/priced-fields.ts'
import { type ServiceFields, serviceFields } from '../../shared/pass-through/service-fields.ts'
import { REQUEST } from './priced-fields.ts'

const EFFECTS = effectsOf(REQUEST)

export const unknownFields = (body: Json, known: Readonly<Record<string, unknown>>): ServiceFields =>
  serviceFields(body, known, EFFECTS)
