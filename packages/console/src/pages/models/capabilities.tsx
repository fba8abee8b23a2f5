import type { ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Badge } from '../../ui/states.tsx'

/** What a model supports besides text. Unknown is not the same as nothing. */
export function Capabilities({ model: { capabilities } }: { model: ModelRow }) {
  const t = useTexts().models
  if (capabilities === null) return <span className="text-muted">{t.unknown}</span>
  if (capabilities.length === 0) return <span className="text-muted">{t.textOnly}</span>
  return (
    <span className="inline-flex flex-wrap gap-1 cards:justify-end">
      {capabilities.map((each) => (
        <Badge key={each}>{t.capabilities[each]}</Badge>
      ))}
    </span>
  )
}
