// The drawer in which a key is created or edited.

import { useEffect, useId, useState } from 'react'
import type { GroupRow, KeyRow, KeyWithSecret } from '../../api/types.ts'
import { useFormGuard } from '../../app/leave-guard.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Icon } from '../../ui/icons.tsx'
import { Banner, ErrorState, Skeleton, useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { changesOf, errorsIn, fieldOf, type KeyValues, requestOf, valuesOf } from './form-values.ts'
import { type KeySource, useOwnKeys } from './key-source.ts'
import { ModelChoice } from './model-choice.tsx'
import { CapFields, ExpiryFields, GroupField, LimitFields } from './term-fields.tsx'

type KeyDrawerProps = {
  /** undefined: a new key. */
  subject: KeyRow | undefined
  /** What was typed before, of a new key. */
  name?: string
  onClose(): void
  onCreated(created: KeyWithSecret): void
}

/** For an account holder's own keys. */
export function KeyDrawer(props: KeyDrawerProps) {
  return <KeyDrawerOf {...props} source={useOwnKeys()} />
}

export function KeyDrawerOf({
  source,
  subject,
  name = '',
  onClose,
  onCreated,
}: KeyDrawerProps & { source: KeySource }) {
  const { keys: t, common } = useTexts()
  const { groups } = source
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
          source={source}
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
  source: KeySource
  groups: readonly GroupRow[]
  onBusy(isBusy: boolean): void
  onDirty(isDirty: boolean): void
}

function KeyForm(props: KeyFormProps) {
  const { id, source, groups, subject, name = '', onBusy, onDirty, onClose, onCreated } = props
  const t = useTexts().keys.form
  const message = useErrorMessage()
  const toast = useToast()
  const preset = groups.find(({ is_default }) => is_default) ?? groups[0]
  const [values, setValues] = useState<KeyValues>(() => valuesOf(subject, preset?.id ?? '', name))
  const [initial] = useState(values)
  const set = (change: Partial<KeyValues>) => setValues((former) => ({ ...former, ...change }))
  const isDirty = JSON.stringify(values) !== JSON.stringify(initial)
  useEffect(() => onDirty(isDirty), [onDirty, isDirty])

  const { errors, isBusy, submit } = useForm<keyof KeyValues, KeyRow | KeyWithSecret | undefined>({
    fields: [],
    check: () => errorsIn(values, t, Date.now()),
    send: () =>
      subject
        ? source.change(subject, changesOf(values, subject, Date.now()))
        : source.create(requestOf(values, Date.now())),
    done(saved) {
      if (!saved) return
      if ('secret' in saved) return onCreated(saved)
      toast(t.saved(values.name.trim()))
      onClose()
    },
    // The field is named by its label already.
    rejected: (error) => ({ [fieldOf(error.param)]: message(error).replace(`${error.param}: `, '') }),
  })
  useEffect(() => onBusy(isBusy), [onBusy, isBusy])
  const ceiling = source.hasCeiling ? subject?.ceiling : undefined
  const models = source.modelsOf(values.group)

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
      <GroupField groups={groups} models={models} values={values} set={set} error={errors.group} />
      <CapFields values={values} set={set} errors={errors} ceiling={ceiling} />
      <ExpiryFields values={values} set={set} errors={errors} kept={subject?.expires_at ?? null} ceiling={ceiling} />
      <details open={hasRestrictions(values)} className="group rounded-md border">
        <summary className="flex h-10 list-none items-center gap-2 rounded-md px-3 font-medium hover:bg-raised [&::-webkit-details-marker]:hidden">
          <span className="text-muted group-open:rotate-90">
            <Icon name="chevron" />
          </span>
          {t.restrictions}
        </summary>
        <div className="flex flex-col gap-5 border-t p-3">
          <ModelChoice
            models={models}
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
          <LimitFields values={values} set={set} errors={errors} ceiling={ceiling} />
        </div>
      </details>
    </form>
  )
}

const hasRestrictions = ({ models, networks, rpm, tpm, concurrent }: KeyValues): boolean =>
  models !== null || [networks, rpm, tpm, concurrent].some((value) => value !== '')
