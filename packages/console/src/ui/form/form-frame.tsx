import { type ReactNode, useId } from 'react'
import { useFormGuard } from '../../app/leave-guard.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../button.tsx'
import { Dialog, Drawer } from '../dialog.tsx'
import { Banner } from '../states.tsx'
import type { FieldsForm } from './use-fields.tsx'

type Submit = { type: 'submit'; form: string; busy: boolean; variant?: 'primary' | 'danger'; children: ReactNode }

export type FrameProps = {
  /** The title of a dialog. */
  title?: string
  /** The label of the button that sends it. */
  action?: string
  isDangerous?: boolean
  /** Closes a dialog. Without it, the form is a part of the page. */
  onClose?(): void
  /** Has many fields: a drawer. */
  isLong?: boolean
  /** In the place of the button that sends it. */
  button?(submit: Submit): ReactNode
  /** Beside that button: before the others of a dialog, and after that of a page. */
  aside?: ReactNode
  /** Below what is filled in. */
  children?: ReactNode
  /** How the fields stand in a page. */
  className?: string
}

/** What is filled in: a dialog, a drawer, or a part of the page. */
export function FormFrame({ fields, guards, ...frame }: FrameProps & { fields: FieldsForm; guards: boolean }) {
  const { title = '', action, isDangerous = false, isLong = false, onClose, aside, children } = frame
  const { button = (submit: Submit) => <Button {...submit} />, className = 'flex flex-col gap-4' } = frame
  const { common } = useTexts()
  const id = useId()
  const { form, shown, isTouched } = fields
  const close = useFormGuard(guards && isTouched, onClose ?? (() => {}))
  const submit: Submit = { type: 'submit', form: id, busy: form.isBusy, children: action ?? common.save }
  const inner = (
    <>
      {form.errors.form && <Banner tone="bad">{form.errors.form}</Banner>}
      {shown}
    </>
  )
  if (!onClose)
    return (
      <form id={id} noValidate onSubmit={form.submit} className={className}>
        {inner}
        <div className="flex flex-wrap items-center gap-3">
          {button(submit)}
          {aside}
        </div>
        {children}
      </form>
    )
  const Frame = isLong ? Drawer : Dialog
  return (
    <Frame
      open
      onClose={close}
      title={title}
      footer={
        <>
          {aside}
          <Button onClick={close}>{common.cancel}</Button>
          {button({ ...submit, variant: isDangerous ? 'danger' : 'primary' })}
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.submit} className={className}>
        {inner}
      </form>
      {children}
    </Frame>
  )
}
