/** What is wrong with the fields of a form. `form`: what concerns no field. */
export type FormErrors<F extends string> = Partial<Record<F | 'form', string>>
