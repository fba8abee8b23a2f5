import type { ModelRow } from '@trivium/gateway/console-api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Badge } from '../../ui/states.tsx'

/** What a model accepts besides text. Unknown is not the same as nothing. */
export function Accepts({ model: { accepts } }: { model: ModelRow }) {
  const t = useTexts().models
  if (accepts === null) return <span className="text-muted">{t.unknown}</span>
  if (accepts.length === 0) return <span className="text-muted">{t.textOnly}</span>
  return (
    <span className="inline-flex flex-wrap gap-1 cards:justify-end">
      {accepts.map((each) => (
        <Badge key={each}>{t.capabilities[each]}</Badge>
      ))}
    </span>
  )
}
