// The drawer in which a key is created or edited.

import { useQueryClient } from '@tanstack/react-query'
import type { GroupRow, KeyRow, KeyWithSecret } from '@trivium/gateway/console-api/routes/keys.ts'
import { useEffect, useId, useState } from 'react'
import { post } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useFormGuard } from '../../app/leave-guard.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Icon } from '../../ui/icons.tsx'
import { Banner, ErrorState, Skeleton, useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { changesOf, errorsIn, fieldOf, type KeyValues, LIMITS, requestOf, valuesOf } from './form-values.ts'
import { ModelChoice } from './model-choice.tsx'
import { CapFields, ExpiryFields, GroupField } from './term-fields.tsx'

type KeyDrawerProps = {
  /** undefined: a new key. */
  subject: KeyRow | undefined
  /** What was typed before, of a new key. */
  name?: string
  onClose(): void
  onCreated(created: KeyWithSecret): void
}

export function KeyDrawer({ subject, name = '', onClose, onCreated }: KeyDrawerProps) {
  const { keys: t, common } = useTexts()
  const groups = useRead('groups')
  const [isBusy, setBusy] = useState(false)
  const [isDirty, setDirty] = useState(false)
  const close = useFormGuard(isDirty, onClose)
  const form = useId()
  return (
    <Drawer
      open
      onClose={close}
      title={subject ? t.form.editTitle(subject.name) : t.form.createTitle}
      footer={
        <>
          <Button onClick={close}>{common.cancel}</Button>
          <Button type="submit" form={form} variant="primary" busy={isBusy} disabled={!groups.data}>
            {subject ? common.save : t.form.submit}
          </Button>
        </>
      }
    >
      {groups.data ? (
        <KeyForm
          id={form}
          groups={groups.data}
          subject={subject}
          name={name}
          onBusy={setBusy}
          onDirty={setDirty}
          onClose={onClose}
          onCreated={onCreated}
        />
      ) : groups.error ? (
        <ErrorState error={groups.error} retry={groups.refetch} />
      ) : (
        <Skeleton size="h-64 w-full" />
      )}
    </Drawer>
  )
}

type KeyFormProps = KeyDrawerProps & {
  id: string
  groups: readonly GroupRow[]
  onBusy(isBusy: boolean): void
  onDirty(isDirty: boolean): void
}

function KeyForm({ id, groups, subject, name = '', onBusy, onDirty, onClose, onCreated }: KeyFormProps) {
  const t = useTexts().keys.form
  const mostOf = (limit: number | null | undefined) => (limit ? t.most(String(limit)) : undefined)
  const message = useErrorMessage()
  const toast = useToast()
  const queries = useQueryClient()
  const preset = groups.find(({ is_default }) => is_default) ?? groups[0]
  const [values, setValues] = useState<KeyValues>(() => valuesOf(subject, preset?.id ?? '', name))
  const [initial] = useState(values)
  const set = (change: Partial<KeyValues>) => setValues((former) => ({ ...former, ...change }))
  const isDirty = JSON.stringify(values) !== JSON.stringify(initial)
  useEffect(() => onDirty(isDirty), [onDirty, isDirty])

  const { errors, isBusy, submit } = useForm<keyof KeyValues, KeyRow | KeyWithSecret>({
    fields: [],
    check: () => errorsIn(values, t, Date.now()),
    send: () =>
      subject
        ? post('keys/{id}', changesOf(values, subject, Date.now()), { id: subject.id })
        : post('keys', requestOf(values, Date.now())),
    done(saved) {
      void queries.invalidateQueries({ queryKey: ['keys'] })
      if ('secret' in saved) return onCreated(saved)
      toast(t.saved(values.name.trim()))
      onClose()
    },
    // The field is named by its label already.
    rejected: (error) => ({ [fieldOf(error.param)]: message(error).replace(`${error.param}: `, '') }),
  })
  useEffect(() => onBusy(isBusy), [onBusy, isBusy])

  return (
    <form id={id} noValidate onSubmit={submit} className="flex flex-col gap-5">
      {errors.form && <Banner tone="bad">{errors.form}</Banner>}
      <TextField
        label={t.name}
        name="name"
        autoComplete="off"
        autoFocus
        maxLength={100}
        placeholder={t.namePlaceholder}
        value={values.name}
        onChange={(name) => set({ name })}
        hint={t.nameHint}
        error={errors.name}
      />
      <GroupField groups={groups} values={values} set={set} error={errors.group} />
      <CapFields values={values} set={set} errors={errors} ceiling={subject?.ceiling} />
      <ExpiryFields
        values={values}
        set={set}
        errors={errors}
        kept={subject?.expires_at ?? null}
        ceiling={subject?.ceiling}
      />
      <details open={hasRestrictions(values)} className="group rounded-md border">
        <summary className="flex h-10 list-none items-center gap-2 rounded-md px-3 font-medium hover:bg-raised [&::-webkit-details-marker]:hidden">
          <span className="text-muted group-open:rotate-90">
            <Icon name="chevron" />
          </span>
          {t.restrictions}
        </summary>
        <div className="flex flex-col gap-5 border-t p-3">
          <ModelChoice
            group={values.group}
            chosen={values.models}
            onChange={(models) => set({ models })}
            error={errors.models}
          />
          <TextArea
            label={t.networks}
            optional
            rows={3}
            spellCheck={false}
            value={values.networks}
            onChange={(networks) => set({ networks })}
            hint={t.networksHint}
            error={errors.networks}
          />
          <fieldset className="min-w-0">
            <legend className="font-medium">{t.limits}</legend>
            <p className="mb-2 text-sm text-muted">{t.limitsHint}</p>
            <div className="grid items-end gap-3 wide:grid-cols-3">
              {LIMITS.map((limit) => (
                <TextField
                  key={limit}
                  label={t[limit]}
                  inputMode="numeric"
                  autoComplete="off"
                  value={values[limit]}
                  onChange={(value) => set({ [limit]: value })}
                  hint={mostOf(subject?.ceiling.limits[limit])}
                  error={errors[limit]}
                />
              ))}
            </div>
          </fieldset>
        </div>
      </details>
    </form>
  )
}

const hasRestrictions = ({ models, networks, rpm, tpm, concurrent }: KeyValues): boolean =>
  models !== null || [networks, rpm, tpm, concurrent].some((value) => value !== '')
