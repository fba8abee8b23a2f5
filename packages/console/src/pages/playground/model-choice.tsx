import { useMutation, useQueryClient } from '@tanstack/react-query'
import { post } from '../../api/client.ts'
import type { KeyRow, ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { choicesIn } from '../../ui/form/choices-of.ts'
import { Combobox } from '../../ui/form/combobox.tsx'
import { Banner, ErrorState, Skeleton, useErrorMessage } from '../../ui/states.tsx'
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

/** For a model, chosen elsewhere, that the group of the built-in key does not offer. */
function GroupNotice({ model, builtIn }: { model: ModelRow; builtIn: KeyRow }) {
  const t = useTexts().playground
  const message = useErrorMessage()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (group: string) => {
      const result = await post('keys/{id}', { group }, { id: builtIn.id })
      if (!result.ok) throw result.error
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['playground/key'] }),
  })
  return (
    <Banner tone={error ? 'bad' : 'warn'}>
      <div className="flex flex-col items-start gap-2">
        <span>{error ? message(error) : t.otherGroup(model.id, builtIn.group)}</span>
        {model.prices.map(({ group }) => (
          <Button key={group} small busy={isPending} onClick={() => mutate(group)}>
            {t.changeGroup(group)}
          </Button>
        ))}
      </div>
    </Banner>
  )
}
