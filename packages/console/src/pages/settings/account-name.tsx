import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/client.ts'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Banner } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

export function AccountName() {
  const { settings, common } = useTexts()
  const t = settings.account
  const { account } = useSession()
  const client = useQueryClient()
  const toast = useToast()
  const [name, setName] = useState(account.name)
  const { errors, isBusy, submit } = useForm({
    fields: ['name'],
    check: () => (name.trim() === '' ? { name: t.nameMissing } : {}),
    send: () => post('account', { name: name.trim() }),
    done() {
      toast(t.renamed)
      void client.invalidateQueries({ queryKey: ['session'] })
    },
  })
  return (
    <form noValidate onSubmit={submit} className="mt-4 flex max-w-[360px] flex-col gap-4">
      {errors.form && <Banner tone="bad">{errors.form}</Banner>}
      <TextField label={t.name} name="name" value={name} onChange={setName} error={errors.name} autoComplete="off" />
      <div>
        <Button type="submit" busy={isBusy}>
          {common.save}
        </Button>
      </div>
    </form>
  )
}
