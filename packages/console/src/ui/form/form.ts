// The steps of every form: check the fields, send once, and show what is wrong beside the field, which gets the focus.

import { type FormEvent, useState } from 'react'
import type { ApiError, Result } from '../../api/client.ts'
import { useErrorMessage } from '../states.tsx'
import type { FormErrors } from './form-errors.ts'

type FormSteps<F extends string, T> = {
  /** The fields, by the names that the API gives them. */
  fields: readonly F[]
  /** What is wrong before anything is sent. */
  check(): FormErrors<NoInfer<F>>
  send(): Promise<Result<T>>
  done(value: T): void
  /** Errors of the API with a text or a field of their own. An empty object: `rejected` has dealt with it. */
  rejected?(error: ApiError): FormErrors<NoInfer<F>> | undefined
}

export type Form<F extends string> = {
  errors: FormErrors<F>
  isBusy: boolean
  submit(event: FormEvent<HTMLFormElement>): Promise<void>
}

export function useForm<F extends string, T>(steps: FormSteps<F, T>): Form<F> {
  const message = useErrorMessage()
  const [errors, setErrors] = useState<FormErrors<F>>({})
  const [isBusy, setBusy] = useState(false)

  const errorsOf = (error: ApiError): FormErrors<F> => {
    const field = steps.fields.find((each) => each === error.param) ?? 'form'
    return steps.rejected?.(error) ?? ({ [field]: message(error) } as FormErrors<F>)
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const form = event.currentTarget
    const wrong = steps.check()
    setErrors(wrong)
    if (Object.keys(wrong).length > 0) return focusFirstError(form)
    setBusy(true)
    const result = await steps.send()
    setBusy(false)
    if (result.ok) return steps.done(result.value)
    setErrors(errorsOf(result.error))
    focusFirstError(form)
  }
  return { errors, isBusy, submit }
}

/** Where the person continues after a form was rejected, once its errors are on screen. */
function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
