// What serves each route of the endpoints, by the ids of the protocol's table.
import { handlers as embeddings } from './embeddings/handlers.ts'
import { handlers as images } from './images/handlers.ts'
import { handlers as moderations } from './moderations/handlers.ts'
import { handlers as rerank } from './rerank/handlers.ts'
import { handlers as speech } from './speech/handlers.ts'
import { handlers as text } from './text/handlers.ts'
import { handlers as transcriptions } from './transcriptions/handlers.ts'
import { handlers as videos } from './videos/handlers.ts'

export const ENDPOINT_HANDLERS = {
  ...text,
  ...images,
  ...videos,
  ...embeddings,
  ...speech,
  ...transcriptions,
  ...rerank,
  ...moderations,
}
