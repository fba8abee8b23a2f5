import { useTexts } from '../../i18n/language.tsx'
import { choicesIn } from '../../ui/form/choices-of.ts'
import { Combobox } from '../../ui/form/combobox.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { GroupNotice } from './group-notice.tsx'
import type { useModels } from './models.ts'

/** `choice`: of `useModels`. */
export function ModelChoice({ choice }: { choice: ReturnType<typeof useModels> }) {
  const t = useTexts().playground
  const { models, model, other, builtIn, error, refetch, choose } = choice
  if (error && !models) return <ErrorState error={error} retry={refetch} />
  if (!models) return <Skeleton size="h-14 w-full" />
  const notice = other && builtIn && <GroupNotice model={other} builtIn={builtIn} />
  if (models.length === 0) return notice ?? <p className="text-muted">{t.noModel}</p>
  return (
    <>
      {notice}
      <Combobox
        label={t.model}
        value={model?.id ?? ''}
        shown={model?.id ?? ''}
        onChange={choose}
        useChoices={choicesIn(models.map(({ id }) => id))}
      />
    </>
  )
}
