import { useTexts } from '../../i18n/language.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import type { useModels } from './models.ts'

/** `choice`: of `useModels`. */
export function ModelChoice({ choice }: { choice: ReturnType<typeof useModels> }) {
  const t = useTexts().playground
  const { models, model, error, refetch, choose } = choice
  if (error && !models) return <ErrorState error={error} retry={refetch} />
  if (!models) return <Skeleton size="h-14 w-full" />
  if (models.length === 0) return <p className="text-muted">{t.noModel}</p>
  const options = models.map(({ id }) => ({ value: id, label: id }))
  return <SelectField label={t.model} value={model?.id ?? ''} onChange={choose} options={options} />
}
