import { type ReactNode, useId } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../button.tsx'
import { Dialog, Drawer } from '../dialog.tsx'
import { Banner } from '../states.tsx'
import type { Form } from './form.ts'
import type { FormErrors } from './form-errors.ts'

type FormDialogProps<F extends string> = {
  title: string
  /** The label of the button that sends it. */
  action: string
  form: Form<F>
  /** Has many fields: a drawer. */
  isLong?: boolean
  onClose(): void
  children: ReactNode
}

/** What is filled in before an act. */
export function FormDialog<F extends string>({
  title,
  action,
  form,
  isLong = false,
  onClose,
  children,
}: FormDialogProps<F>) {
  const { common } = useTexts()
  const id = useId()
  const { form: error } = form.errors as FormErrors<never>
  const Frame = isLong ? Drawer : Dialog
  return (
    <Frame
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" form={id} variant="primary" busy={form.isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.submit} className="flex flex-col gap-4">
        {error && <Banner tone="bad">{error}</Banner>}
        {children}
      </form>
    </Frame>
  )
}
