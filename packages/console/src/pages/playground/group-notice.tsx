import { useMutation, useQueryClient } from '@tanstack/react-query'
import { post } from '../../api/client.ts'
import type { KeyRow, ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Banner, useErrorMessage } from '../../ui/states.tsx'

/** For a model, chosen elsewhere, that the group of the built-in key does not offer. */
export function GroupNotice({ model, builtIn }: { model: ModelRow; builtIn: KeyRow }) {
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
