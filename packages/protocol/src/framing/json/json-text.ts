/** What stands in JSON as it is, between quotes. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** A text as JSON. Names and marks, as most are, only need their quotes; looking for that costs less than being careful. */
export const jsonText = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))
