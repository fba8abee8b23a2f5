import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import { readOf } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Banner, Skeleton } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Time } from '../../ui/values.tsx'
import { perform, readVersion, rehearse, type Version, verifySecondFactor } from '../api/client.ts'
import { refreshAdmin } from '../api/queries.ts'
import type { DryRun, Row } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import type { AnyAct } from './act-types.ts'
import { CurlOf } from './curl.tsx'
import { Diff } from './diff.tsx'
import { useOperateError } from './errors.ts'

type ActDialogProps = {
  act: AnyAct
  /** The same for every try, so that a change whose answer was lost is done once. */
  idempotencyKey: string
  /** undefined: nothing was done. */
  onEnd(value: unknown): void
  /** Asks for another act: the one that takes this one back. */
  again(act: AnyAct): Promise<unknown>
}

/** The answer to a change on top of another version is not the answer to the first try. */
const keyOf = (key: string, theirs: Version | undefined): string => (theirs ? `${key} ${theirs.tag}` : key)

const FORM = 'act'
const LONGEST_REASON = 500

export function ActDialog({ act, idempotencyKey, onEnd, again }: ActDialogProps) {
  const { common } = useTexts()
  const t = useOperateTexts().acts
  const messageOf = useOperateError()
  const toast = useToast()
  const queries = useQueryClient()
  const [planned, setPlanned] = useState<DryRun | undefined>(act.rehearsed)
  const [reason, setReason] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [theirs, setTheirs] = useState<Version>()
  const hasChanged = theirs !== undefined
  const [changed, setChanged] = useState<LastChange>()
  const [error, setError] = useState<string>()
  const [wrong, setWrong] = useState<{ reason?: string; code?: string }>({})
  const [isBusy, setBusy] = useState(false)
  const { reason: wanted = 'optional' } = act

  // A rejected dry run is shown at once: nobody types a reason for what cannot be done.
  const plan = async (version = act.version) => {
    const result = await rehearse({ ...act, version })
    if (result.ok) setPlanned(result.value)
    else setError(messageOf(result.error))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: an act is planned once, when its dialog opens.
  useEffect(() => {
    if (!act.rehearsed) void plan()
  }, [])

  const onRejected = async (rejected: ApiError) => {
    if (rejected.code === 'second_factor_needed') return setNeedsCode(true)
    if (rejected.code !== 'precondition_failed' || act.version === undefined) return setError(messageOf(rejected))
    // What another person did meanwhile is compared with what this person wants.
    const theirs = await readVersion(act.version.path, act.params)
    await plan(theirs)
    setChanged(await lastChange(act))
    setTheirs(theirs)
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const isMissing = wanted === 'required' && reason.trim() === ''
    const hasNoCode = needsCode && code.trim() === ''
    setWrong({
      ...(isMissing ? { reason: t.reasonMissing } : {}),
      ...(hasNoCode ? { code: t.secondFactor.missing } : {}),
    })
    if (isMissing || hasNoCode) return
    setBusy(true)
    setError(undefined)
    if (needsCode) {
      const verified = await verifySecondFactor(code.trim())
      if (!verified.ok) {
        setBusy(false)
        return verified.error.param === 'code'
          ? setWrong({ code: t.secondFactor.wrong })
          : setError(messageOf(verified.error))
      }
    }
    const result = await perform(
      { ...act, version: theirs ?? act.version },
      reason.trim(),
      keyOf(idempotencyKey, theirs),
    )
    setBusy(false)
    if (!result.ok) return await onRejected(result.error)
    void refreshAdmin(queries)
    const { undo } = act
    toast(act.done, 'good', undo && { label: t.undo, onSelect: () => void again(undo) })
    onEnd(result.value)
  }

  const close = () => onEnd(undefined)
  return (
    <Dialog
      open
      onClose={close}
      title={act.title}
      footer={
        <>
          <span className="mr-auto">
            <CurlOf act={act} reason={reason} />
          </span>
          <Button onClick={close}>{common.cancel}</Button>
          <Button
            type="submit"
            form={FORM}
            variant={act.danger ? 'danger' : 'primary'}
            busy={isBusy}
            disabled={planned === undefined}
          >
            {hasChanged ? t.saveAnyway : act.action}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={submit} className="flex flex-col gap-4">
        {hasChanged && (
          <Banner tone="warn">
            {t.changed}
            {changed && (
              <span className="block">
                {t.changedBy(changed.actor_name ?? changed.actor)} <Time at={changed.at} />
              </span>
            )}
          </Banner>
        )}
        {error && <Banner tone="bad">{error}</Banner>}
        {act.text && <div>{act.text}</div>}
        {planned && <Effects effects={planned.effects} />}
        {planned && !act.hideChanges && <Diff before={planned.before} after={planned.after} />}
        {!planned && !error && (
          <span role="status" aria-label={t.checking}>
            <Skeleton size="h-16 w-full" />
          </span>
        )}
        {wanted !== 'none' && (
          <TextField
            label={t.reason}
            name="reason"
            maxLength={LONGEST_REASON}
            optional={wanted === 'optional'}
            hint={t.reasonHint}
            value={reason}
            onChange={setReason}
            error={wrong.reason}
          />
        )}
        {needsCode && (
          <>
            <Banner tone="warn">{t.secondFactor.text}</Banner>
            <TextField
              label={t.secondFactor.code}
              name="code"
              autoComplete="one-time-code"
              inputMode="numeric"
              autoFocus
              value={code}
              onChange={setCode}
              error={wrong.code}
            />
          </>
        )}
      </form>
    </Dialog>
  )
}

type LastChange = Row<'audit-log'>

/** Who changed the resource last, and when. undefined: not known. */
async function lastChange({ version, params = {} }: AnyAct): Promise<LastChange | undefined> {
  const noun = version?.path.split('/')[0]?.replace(/s$/, '')
  const [id] = Object.values(params)
  if (!noun || !id) return undefined
  const rows = await readOf('admin', 'audit-log', { object: `${noun}/${id}`, limit: '1' })
  return rows.ok ? rows.value.data[0] : undefined
}

/** What a change means in numbers. Those that are zero do not matter. */
function Effects({ effects }: { effects: Readonly<Record<string, string | number>> }) {
  const texts = useOperateTexts()
  const shown = Object.entries(effects).filter(([, value]) => value !== 0 && value !== '0.00')
  if (shown.length === 0) return null
  return (
    <section aria-label={texts.acts.effects} className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      <ul className="flex flex-col gap-1">
        {shown.map(([name, value]) => (
          <li key={name}>{texts.effects[name]?.(String(value)) ?? `${name}: ${value}`}</li>
        ))}
      </ul>
    </section>
  )
}
